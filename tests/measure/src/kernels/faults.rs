//! Known faults of ptxas, `known_faults.toml`: which one explains a difference.

use anyhow::{Context, Result};
use serde::Deserialize;

/// The list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Faults {
    #[serde(rename = "fault")]
    faults: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// The opcode with its modifiers.
    statement: String,
    /// The least unsigned value of the last operand, if it must be a constant.
    least: Option<u32>,
    /// Statements with the same value, `$0` being the first operand.
    instead: String,
    pub(super) reason: String,
}

impl Faults {
    pub(super) fn load() -> Result<Faults> {
        toml::from_str(include_str!("../../known_faults.toml")).context("tests/measure/known_faults.toml")
    }

    /// The faults whose statement a kernel has, and the kernel without it.
    pub(super) fn without<'f>(&'f self, kernel: &str) -> impl Iterator<Item = (&'f Fault, String)> {
        self.faults.iter().filter_map(move |fault| Some((fault, fault.rewrite(kernel)?)))
    }
}

impl Fault {
    fn concerns(&self, operands: &str) -> bool {
        let last = operands.rsplit(", ").next().and_then(|last| last.parse::<i64>().ok());
        self.least.is_none_or(|least| last.is_some_and(|last| last as u32 >= least))
    }

    /// The kernel with the other statement; `None` if it has none of this kind.
    fn rewrite(&self, kernel: &str) -> Option<String> {
        let mut is_found = false;
        let mut text = String::new();
        for line in kernel.lines() {
            let (guard, statement) = match line.trim().split_once(' ') {
                Some((guard, rest)) if guard.starts_with('@') => (guard, rest),
                _ => ("", line.trim()),
            };
            let operands = statement.strip_prefix(&self.statement).and_then(|rest| rest.strip_prefix(' '));
            let operands = operands.and_then(|rest| rest.strip_suffix(';'));
            match operands.filter(|operands| self.concerns(operands)) {
                Some(operands) => {
                    is_found = true;
                    let mut instead = self.instead.clone();
                    for (index, operand) in operands.split(", ").enumerate() {
                        instead = instead.replace(&format!("${index}"), operand);
                    }
                    for statement in instead.split("; ") {
                        text += &format!("    {guard} {statement};\n");
                    }
                }
                None => {
                    text += line;
                    text.push('\n');
                }
            }
        }
        is_found.then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_a_faulty_statement() {
        let faults = Faults::load().expect("the list");
        let kernel = "    shl.b64 %rd1, %rd2, 63;\n    @!%p1 cnot.b32 %r1, %r2;\n";
        let rewritten: Vec<_> = faults.without(kernel).map(|(_, text)| text).collect();
        let expected = "    shl.b64 %rd1, %rd2, 63;\n    @!%p1 set.eq.u32.u32 %r1, %r2, 0;\n    @!%p1 and.b32 %r1, %r1, 1;\n";
        assert_eq!(rewritten, [expected]);
    }
}
