//! Scheduling notes that an assembler wrote after the operands: `&req={0,2}`, `&wr=0x1`, `?WAIT5_END_GROUP`.

/// The page of a note; `None` if it is not known what the note means.
pub(super) fn page(note: &str) -> Option<String> {
    let what = match note.split_at_checked(1)? {
        ("&", rest) => scoreboards(rest)?,
        ("?", rest) => stall(rest)?,
        _ => return None,
    };
    Some(format!("**`{note}`** · a scheduling note of an assembler: {what}. It changes no value."))
}

fn scoreboards(note: &str) -> Option<String> {
    let (key, value) = note.split_once(['=', '_'])?;
    let value = value.trim_matches(['{', '}']);
    let numbers: Option<Vec<u8>> = value.split(',').map(number).collect();
    let names: Vec<String> = numbers?.iter().map(|number| format!("`SB{number}`")).collect();
    let names = names.join(", ");
    match key {
        "req" => Some(format!("the instruction waits for {names}")),
        "wr" => Some(format!("{names} is set until its result is written")),
        "rd" => Some(format!("{names} is set until its sources are read")),
        _ => None,
    }
}

fn number(text: &str) -> Option<u8> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    (number < 8).then_some(number)
}

fn stall(note: &str) -> Option<String> {
    let digits = note.strip_prefix("WAIT").or_else(|| note.strip_prefix("trans"))?;
    let cycles: u8 = digits.strip_suffix("_END_GROUP").unwrap_or(digits).parse().ok()?;
    Some(format!("the next instruction issues at least {cycles} cycles later"))
}
