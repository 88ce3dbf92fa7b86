//! The addresses that debuggers and profilers print in columns before instructions: `0010:`, `| 0010 |`, `0x0010`, `<+16>:`.

use text_size::{TextRange, TextSize};
use warplens_syntax::Token;

use crate::sass::model::Instruction;

#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnAddress {
    address: u32,
    range: TextRange,
}

/// The last address in the columns of a line. An offset in a function says more than the numbers beside it.
pub(super) fn of(columns: Token<'_>) -> Option<ColumnAddress> {
    let mut found = None;
    let mut at = 0;
    for word in columns.text.split(|c: char| c.is_whitespace() || matches!(c, '|' | '`')) {
        if let Some(address) = address(word) {
            let start = columns.start + TextSize::new(at as u32);
            let range = TextRange::at(start, TextSize::of(word));
            found = Some(ColumnAddress { address, range });
            if word.starts_with('<') {
                break;
            }
        }
        at += word.len() + 1;
    }
    found
}

fn address(word: &str) -> Option<u32> {
    let plain = word.strip_suffix(':').unwrap_or(word);
    if let Some(inside) = plain.strip_prefix('<') {
        return inside.strip_suffix('>')?.rsplit_once('+')?.1.parse().ok();
    }
    let digits = plain.strip_prefix("0x").unwrap_or(plain);
    // A plain number may count lines or samples. Longer ones are addresses in memory, not in the function.
    let is_address = digits.len() < word.len() || digits.len() > 3 && digits.starts_with('0');
    let fits = is_address && (1..8).contains(&digits.len());
    if fits { u32::from_str_radix(digits, 16).ok() } else { None }
}

/// Gives instructions the addresses of their columns, if all lines have one and they are possible. Returns whether they are.
pub(super) fn apply(instructions: &mut [Instruction], columns: &[Option<ColumnAddress>]) -> bool {
    let Some(columns) = columns.iter().copied().collect::<Option<Vec<ColumnAddress>>>() else { return false };
    let is_possible = columns.len() > 1
        && columns.iter().all(|column| column.address.is_multiple_of(8))
        && columns.is_sorted_by(|one, next| one.address < next.address);
    if is_possible {
        for (instruction, column) in instructions.iter_mut().zip(columns) {
            instruction.address = column.address;
            instruction.address_range = Some(column.range);
        }
    }
    is_possible
}

#[cfg(test)]
mod tests {
    use crate::sass::lower;
    use warplens_syntax::{parse_file, sass};

    #[track_caller]
    fn check(text: &str, addresses: &[u32], has_addresses: bool) {
        let parse = parse_file(sass::LANGUAGE, text);
        let items: Vec<_> = parse.root().nodes().collect();
        let function = &lower(items[0]).functions[0];
        let found: Vec<u32> = function.instructions.iter().map(|it| it.address).collect();
        assert_eq!((&found[..], function.has_addresses), (addresses, has_addresses), "{text}");
    }

    #[test]
    fn columns_with_addresses() {
        for [first, second] in [
            ["0x00007fffd92fb320 <+32>:\t", "=> 0x00007fffd92fb330 <k+48>:\t"],
            ["0020: ", "0030: "],
            ["| 0020 | `", "| 0030 | `"],
            ["0x20 ", "0x30 "],
            ["0x0 ", "0x10 "],
            ["12 | 0x0020: ", "13 | 0x0030: "],
        ] {
            let addresses = if first == "0x0 " { [0, 0x10] } else { [0x20, 0x30] };
            check(&format!("{first}MOV R1, R2\n{second}BRA 0x20\n"), &addresses, true);
        }
        // Line numbers, addresses in memory, and a line that goes back.
        for [first, second] in
            [["12: ", "13: "], ["0x00007fffd92fb320 ", "0x00007fffd92fb330 "], ["0030: ", "0020: "]]
        {
            check(&format!("{first}MOV R1, R2\n{second}MOV R2, R3\n"), &[0, 8], false);
        }
    }
}
