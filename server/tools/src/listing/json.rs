//! The output of `nvdisasm -json`: functions with their instructions in address order, but without addresses.

use std::fmt::Write;

use serde_json::Value;

use super::graph::section;

/// Whether a text begins like such JSON.
pub(super) fn is_disassembly(text: &str) -> bool {
    let start: String = text.chars().filter(|char| !char.is_whitespace()).take(9).collect();
    start.starts_with("[{\"ELF\":")
}

/// The listing; `None` for JSON of another form.
pub(super) fn listing(text: &str) -> Option<String> {
    let parts: Vec<Value> = serde_json::from_str(text).ok()?;
    let mut out = String::new();
    let mut step = Step { bytes: 16, has_control_words: false };
    for part in &parts {
        if let Some(major) = part["SM"]["version"]["major"].as_u64() {
            let minor = part["SM"]["version"]["minor"].as_u64().unwrap_or_default();
            let _ = writeln!(out, "\t.target\tsm_{major}{minor}");
            step = Step::of_target(major);
        }
        for function in part.as_array().into_iter().flatten() {
            write_function(&mut out, function, step);
        }
    }
    out.contains(".section").then_some(out)
}

/// The distance between instructions.
#[derive(Clone, Copy)]
struct Step {
    bytes: u64,
    has_control_words: bool,
}

impl Step {
    fn of_target(major: u64) -> Step {
        let is_wide = major >= 7;
        Step { bytes: if is_wide { 16 } else { 8 }, has_control_words: (5..7).contains(&major) }
    }

    /// The first address from this one on that holds an instruction and not a control word.
    fn slot(self, address: u64) -> u64 {
        if self.has_control_words && address.is_multiple_of(0x20) { address + 8 } else { address }
    }
}

fn write_function(out: &mut String, function: &Value, step: Step) {
    let Some(name) = function["function-name"].as_str() else { return };
    let _ = write!(out, "\n{}\t.type\t{name},@function\n{name}:\n", section(name));
    let mut address = step.slot(0);
    for instruction in function["sass-instructions"].as_array().into_iter().flatten() {
        let word = |key: &str| instruction[key].as_str().unwrap_or_default();
        let words = [word("predicate"), word("opcode"), &spaced(word("operands"))].map(str::to_owned);
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let _ = writeln!(out, "        /*{address:04x}*/                   {} ;", words.join(" "));
        address = step.slot(address + step.bytes);
    }
}

/// Puts a space after each comma outside of braces.
fn spaced(operands: &str) -> String {
    let (mut out, mut braces) = (String::new(), 0_i32);
    for char in operands.chars() {
        braces += i32::from(char == '{') - i32::from(char == '}');
        out.push(char);
        if char == ',' && braces == 0 {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn functions_have_addresses_and_a_target() {
        let text = r#"[{"ELF":{},"SM":{"version":{"major":8,"minor":0}}},
            [{"function-name":"k","start":0,"length":32,"sass-instructions":[
                {"predicate":"@!P0","opcode":"DEPBAR.LE","operands":"SB0,0x0,{2,1}"},
                {"opcode":"BRA","operands":"0x10","other-attributes":{"control-flow":"True"}}]}]]"#;
        assert!(is_disassembly(text));
        expect![[r#"
            	.target	sm_80

            //--------------------- .text.k --------------------------
            	.section	.text.k,"ax",@progbits
            	.type	k,@function
            k:
                    /*0000*/                   @!P0 DEPBAR.LE SB0, 0x0, {2,1} ;
                    /*0010*/                   BRA 0x10 ;
        "#]]
        .assert_eq(&listing(text).unwrap());
    }

    #[test]
    fn slots_of_control_words_are_omitted() {
        let text = r#"[{"ELF":{},"SM":{"version":{"major":6,"minor":1}}},[{"function-name":"k","sass-instructions":[
            {"opcode":"NOP"},{"opcode":"NOP"},{"opcode":"NOP"},{"opcode":"EXIT"}]}]]"#;
        let listing = listing(text).unwrap();
        let addresses: Vec<_> =
            listing.lines().filter_map(|line| line.trim().strip_prefix("/*")?.get(..4)).collect();
        assert_eq!(addresses, ["0008", "0010", "0018", "0028"]);
    }

    #[test]
    fn other_json_is_none() {
        assert!(!is_disassembly("[1, 2]") && !is_disassembly("{}"));
        assert_eq!(listing(r#"[{"ELF":{}}]"#), None);
        assert_eq!(listing(r#"[{"ELF":"#), None);
    }
}
