//! Decides whether a line without an address is an instruction. The syntax knows no opcodes, so it judges by
//! the shape of the words.
//!
//! What follows an instruction is a comment, a note, the border of a table's cell, or any text after its `;`.

use memchr::memmem;

use super::bytes::{ends_here, indentation, is_space, is_word, trim};

/// Whether a line is an instruction. Without a `;` the operands must look like operands of an instruction,
/// and a lone word must follow other code.
pub(super) fn is_statement(line: &[u8], after_code: bool) -> bool {
    let line = line.strip_prefix(b"{").map_or(line, |rest| &rest[indentation(rest)..]);
    let (guard, rest) = guard(line);
    let opcode = opcode(rest);
    let after = &rest[opcode..];
    if opcode == 0
        || indentation(after) == 0
            && after.first().is_some_and(|byte| !matches!(byte, b';' | b'/' | b'}' | b'`' | b'<'))
    {
        return false;
    }
    if are_counters(after) {
        return guard || after_code;
    }
    let operands = before_counters(before_cell(before_comment(after)));
    let (operands, noted) = before_notes(operands);
    let mut is_sentence = false;
    let (operands, closed) = match memchr::memchr2(b';', b'}', operands) {
        // The braces enclose a list.
        Some(end) if operands[end] == b'}' && operands[..end].contains(&b'{') => (trim(operands), false),
        Some(end) => {
            let (before, rest) = (trim(&operands[..end]), after_notes(&operands[end + 1..]));
            // Words may continue a sentence: `OK; it runs`. Then, only operands make it an instruction.
            is_sentence = rest.first().is_some_and(u8::is_ascii_alphabetic);
            (before, ends_here(rest) || !is_sentence && !before.is_empty())
        }
        None => (trim(operands), noted),
    };
    let operands = memmem::find(operands, b"(*").map_or(operands, |note| operands[..note].trim_ascii_end());
    if operands.is_empty() {
        return closed || guard || after_code;
    }
    let mut list = operands.split(|byte| *byte == b',').map(trim);
    let first = list.next().unwrap_or_default();
    let only = !operands.contains(&b',');
    let named = |operand: &[u8]| {
        let is_part = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b'$' | b':');
        operand.iter().all(is_part) && !operand.ends_with(b":")
    };
    // A decimal number is also in prose: `SPA 5.0`.
    let is_decimal = first.first().is_some_and(u8::is_ascii_digit) && !first.starts_with(b"0x");
    let first_fits = is_operand(first) && (closed || !(only && is_decimal))
        || (closed || after_code && only && !is_sentence) && named(first);
    first_fits && list.all(|operand| is_operand(operand) || named(operand))
}

/// The maximum number of counters after an instruction, because each gap of a line is examined.
const MOST_COUNTERS: usize = 16;
/// The width of a gap after an opcode that is wider than the one before an operand.
const WIDE_GAP: usize = 12;

/// Whether only counters in columns follow an opcode: `\t12\t0.5%` after `EXIT`. A number alone may be an operand
/// (`BAR.SYNC  0`), unless it is far away.
pub(super) fn are_counters(after: &[u8]) -> bool {
    let gap = indentation(after);
    counters(&after[gap..]).is_some_and(|count| match gap {
        _ if after[..gap].contains(&b'\t') => true,
        0 | 1 => false,
        2..WIDE_GAP => count > 1,
        _ => true,
    })
}

/// Whether the text is an opcode before counters in columns.
pub(super) fn is_before_counters(text: &[u8]) -> bool {
    let length = opcode(text);
    length > 0 && are_counters(&text[length..])
}

/// Whether only counters in columns follow the operands, the last of which ends with `last`.
pub(super) fn counters_follow(last: u8, after: &[u8]) -> bool {
    let gap = indentation(after);
    ends_operand(last) && is_gap(&after[..gap]) && counters(&after[gap..]).is_some()
}

/// The number of counters, if the text has nothing else.
fn counters(text: &[u8]) -> Option<usize> {
    let words = || text.split(|byte| is_space(*byte)).filter(|word| !word.is_empty()).take(MOST_COUNTERS + 1);
    words().all(is_counter).then(|| words().count()).filter(|count| (1..=MOST_COUNTERS).contains(count))
}

/// `12`, `1,234`, `0.5%`
fn is_counter(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit)
        && word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'%'))
        && !word.ends_with(b",")
}

/// Whether white space is wider than within operands.
fn is_gap(space: &[u8]) -> bool {
    space.len() > 1 || space.contains(&b'\t')
}

fn ends_operand(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b']' | b')' | b'}' | b'|')
}

/// The operands before the counters in columns after them.
fn before_counters(text: &[u8]) -> &[u8] {
    let (mut cut, mut rest) = (text.len(), text.trim_ascii_end());
    for _ in 0..MOST_COUNTERS {
        let start = rest.iter().rposition(|byte| is_space(*byte)).map_or(0, |at| at + 1);
        let before = rest[..start].trim_ascii_end();
        if !is_counter(&rest[start..]) || before.is_empty() {
            break;
        }
        if is_gap(&rest[before.len()..start]) && before.last().copied().is_some_and(ends_operand) {
            cut = before.len();
        }
        rest = before;
    }
    &text[..cut]
}

/// Whether another instruction without an address follows the `;` of one. A listing beside it begins after a wider gap.
pub(super) fn another_follows(after: &[u8]) -> bool {
    const WIDEST: usize = 4;
    let gap = indentation(after);
    let rest = &after[gap..];
    if gap > WIDEST || after[..gap].contains(&b'\t') || !starts_with_instruction(rest) {
        return false;
    }
    match memchr::memchr(b';', rest) {
        Some(end) => is_statement(&rest[..=end], false),
        None => is_statement(rest, false) || matches!(trim(rest), b"EXIT" | b"RET" | b"NOP"),
    }
}

/// Whether a text starts with an optional brace and guard and an opcode.
pub(super) fn starts_with_instruction(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"{").map_or(line, |rest| &rest[indentation(rest)..]);
    opcode(guard(line).1) > 0
}

/// Whether there is a guard, and the text after it.
fn guard(line: &[u8]) -> (bool, &[u8]) {
    let Some(rest) = line.strip_prefix(b"@") else { return (false, line) };
    let rest = rest.strip_prefix(b"!").unwrap_or(rest);
    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
    (length > 0, &rest[length + indentation(&rest[length..])..])
}

/// The length of an opcode with its modifiers: at least two capital letters and digits, then words after
/// dots.
fn opcode(line: &[u8]) -> usize {
    let name =
        line.iter().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_');
    let name = name.count();
    if name < 2 || !line[0].is_ascii_uppercase() {
        return 0;
    }
    let mut length = name;
    while line.get(length) == Some(&b'.') {
        let word = line[length + 1..].iter().take_while(|byte| is_word(**byte) || **byte == b'?').count();
        if word == 0 {
            return 0;
        }
        length += 1 + word;
    }
    length
}

/// The text before the border of a table's cell.
fn before_cell(text: &[u8]) -> &[u8] {
    let at = memmem::find(text, b" | ").or_else(|| text.ends_with(b" |").then(|| text.len() - 2));
    let text = &text[..at.unwrap_or(text.len())];
    let text = memmem::find(text, b"</").map_or(text, |tag| &text[..tag]);
    // The end of a line in backquotes.
    text.strip_suffix(b"`").unwrap_or(text)
}

/// The operands before the scheduling notes that an assembler wrote, and whether there are notes and a `;` after them.
fn before_notes(text: &[u8]) -> (&[u8], bool) {
    let starts = |pair: &[u8]| match pair {
        [before, b'&', ..] => is_space(*before),
        [before, b'?', letter] => is_space(*before) && letter.is_ascii_alphabetic(),
        _ => false,
    };
    match text.windows(3).position(starts) {
        Some(at) if memchr::memchr(b';', &text[..at]).is_none() => {
            (&text[..at], text.trim_ascii_end().ends_with(b";"))
        }
        _ => (text, false),
    }
}

fn before_comment(text: &[u8]) -> &[u8] {
    let at = (0..text.len()).find(|at| starts_comment(text, *at));
    &text[..at.unwrap_or(text.len())]
}

/// Whether a comment of any tool starts here: `//`, `/*`, `# text`, `<-- text`, `-- text`.
pub(super) fn starts_comment(text: &[u8], at: usize) -> bool {
    let is_apart = || at == 0 || is_space(text[at - 1]);
    match text[at..] {
        [b'/', b'/' | b'*', ..] => true,
        [b'#', ..] | [b'<', b'-', ..] | [b'-', b'-', ..] => is_apart(),
        _ => false,
    }
}

/// The text after the scheduling notes that an assembler wrote: `&req={0,2} ?WAIT5_END_GROUP`.
fn after_notes(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        rest = &rest[indentation(rest)..];
        if !matches!(rest.first(), Some(b'&' | b'?')) {
            return rest;
        }
        let length = rest.iter().take_while(|byte| !is_space(**byte)).count();
        rest = &rest[length..];
    }
}

/// Whether the text looks like an operand and unlike any English text.
fn is_operand(text: &[u8]) -> bool {
    let text = trim(text);
    let unsigned = text.iter().position(|byte| !matches!(byte, b'-' | b'+' | b'~' | b'!' | b'|' | b' '));
    let text = &text[unsigned.unwrap_or(text.len())..];
    match text.first() {
        Some(b'[' | b'`' | b'{') => return true,
        Some(b'0'..=b'9') => return !text.ends_with(b":"),
        None => return false,
        Some(_) => {}
    }
    let word = &text[..text.iter().take_while(|byte| is_word(**byte)).count()];
    let rest = &text[word.len()..];
    if matches!(word, b"c" | b"cx" | b"desc" | b"gdesc" | b"idesc" | b"tmem" | b"a") {
        return rest.trim_ascii_start().starts_with(b"[");
    }
    is_register(word) && is_after_register(rest)
}

/// `R5`, `UP0`, `RZ`, `SR_TID`, `CC`, `INF` and similar words.
fn is_register(word: &[u8]) -> bool {
    const OTHERS: &[&[u8]] = &[
        b"RZ", b"URZ", b"PT", b"UPT", b"pt", b"SRZ", b"CC", b"PR", b"UPR", b"Rpc", b"INF", b"QNAN", b"SNAN",
    ];
    let numbered = |prefix: &[u8]| {
        word.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
    };
    OTHERS.contains(&word)
        || word.starts_with(b"SR_")
        || [&b"R"[..], b"UR", b"P", b"UP", b"B", b"SB", b"gsb"].iter().any(|prefix| numbered(prefix))
}

/// What may follow a register: nothing, a suffix, an offset.
fn is_after_register(rest: &[u8]) -> bool {
    let gap = indentation(rest);
    match rest.get(gap) {
        None => true,
        Some(b'.' | b'|' | b'[' | b'+' | b'-') => true,
        // `CALL.REL.NOINC R2 0x0`, ``RET.REL.NODEC R20 `(votes)``.
        Some(b'`') => gap > 0,
        Some(b'0') => gap > 0 && rest[gap..].starts_with(b"0x"),
        // The columns of a profiler.
        Some(_) => rest[..gap].contains(&b'\t'),
    }
}
