//! Lines that are not read and look like instructions: an opcode with a register, and no words of a sentence.
//!
//! Leaving one out would change what the function does, so it becomes an instruction whose operands are not understood.

use text_size::{TextRange, TextSize};
use warplens_isa::sass as isa;
use warplens_syntax::Token;

use crate::sass::register::Register;

/// The opcode of such a line, with its range.
pub(super) fn opcode(line: Token<'_>) -> Option<(&str, TextRange)> {
    let text = line.text;
    // A comment, or a line that a diff removes.
    if text.trim_start().starts_with(['#', ';', '-', '!', '%', '*', '"', '\'']) {
        return None;
    }
    let words = || text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    if words().any(is_of_sentence) {
        return None;
    }
    let mut rest = words().skip_while(|word| base(word).is_none());
    let opcode = base(rest.next()?)?;
    Register::parse(rest.next()?)?;
    let at = opcode.as_ptr() as usize - text.as_ptr() as usize;
    Some((opcode, TextRange::at(line.start + TextSize::new(at as u32), TextSize::of(opcode))))
}

/// The opcode of `ISETP.GE.AND`.
fn base(word: &str) -> Option<&str> {
    let opcode = word.split('.').next()?;
    isa::opcode(opcode).map(|_| opcode)
}

/// Two small letters that are no digits, outside of `c[0x0][0x160]` and similar operands.
fn is_of_sentence(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let is_number = word.trim_start_matches("0x").bytes().all(|byte| byte.is_ascii_hexdigit());
    !is_number
        && !word.contains('[')
        && word
            .split('.')
            .next()
            .is_some_and(|word| word.as_bytes().windows(2).any(|pair| pair.iter().all(|it| is_letter(*it))))
}

#[cfg(test)]
mod tests {
    use crate::sass::{Instruction, Value, lower};
    use warplens_syntax::{parse_file, sass};

    /// The opcodes of a function between two lines that are read, each with `?` if its line is not read.
    fn opcodes(line: &str) -> Vec<String> {
        let text = format!("S2R R0, SR_TID.X ;\n{line}\nEXIT ;\n");
        let parse = parse_file(sass::LANGUAGE, &text);
        let items: Vec<_> = parse.root().nodes().collect();
        let function = &lower(items[0]).functions[0];
        let is_unread =
            |it: &Instruction| function.operands(it).iter().any(|operand| operand.value == Value::Unknown);
        let shown = |it: &Instruction| format!("{}{}", it.opcode, if is_unread(it) { "?" } else { "" });
        function.instructions.iter().map(shown).collect()
    }

    #[test]
    fn lines_that_look_like_instructions_are_not_left_out() {
        for line in [
            "ISETP.GE.AND P1, PT, R6, R0, PT    N/A  -",
            "k.sass:3: MOV R1, R2 N/A",
            "PC=0010 MOV R1, R2 N/A",
        ] {
            assert_eq!(opcodes(line).len(), 3, "{line}: {:?}", opcodes(line));
        }
        for line in [
            "BSSY B0 pushes the lanes",
            "PTX, SASS",
            "# MOV R1, R2 N/A",
            "// MOV R1, R2",
            "-  MOV R1, R2 ;",
            "NOTE that R2 is free.",
            "MOV is fast",
        ] {
            assert_eq!(opcodes(line), ["S2R", "EXIT"], "{line}");
        }
        // What stands beside an instruction.
        assert_eq!(opcodes("MOV R1, R2 ;          MOV R3, R4 ;"), ["S2R", "MOV", "EXIT"]);
    }
}
