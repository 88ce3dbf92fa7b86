//! The known faults of ptxas, from `known_faults.toml`, and which of them explains a difference.

use anyhow::{Context, Result};
use serde::Deserialize;

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
    /// The smallest unsigned value of the last operand, if it must be a constant.
    least: Option<u32>,
    /// Equivalent statements, in which `$0` is the first operand.
    instead: String,
    reason: String,
}

impl Faults {
    pub(super) fn load() -> Result<Faults> {
        toml::from_str(include_str!("../../known_faults.toml")).context("tests/measure/known_faults.toml")
    }

    /// For each fault whose statement the kernel has, and for each pair of such faults: the reason, and the
    /// kernel without these statements.
    pub(super) fn without(&self, kernel: &str) -> Vec<(String, String)> {
        let single = |fault: &Fault| Some((fault.reason.clone(), fault.rewrite(kernel)?));
        let pair = |(one, other): (&Fault, &Fault)| {
            let text = other.rewrite(&one.rewrite(kernel)?)?;
            Some((format!("{}; and {}", one.reason, other.reason), text))
        };
        let after = |index: usize| self.faults[index + 1..].iter();
        let pairs =
            self.faults.iter().enumerate().flat_map(|(index, one)| after(index).map(move |it| (one, it)));
        self.faults.iter().filter_map(single).chain(pairs.filter_map(pair)).collect()
    }
}

impl Fault {
    fn concerns(&self, operands: &str) -> bool {
        let last = operands.rsplit(", ").next().and_then(|last| last.parse::<i64>().ok());
        self.least.is_none_or(|least| last.is_some_and(|last| last as u32 >= least))
    }

    /// The kernel with the equivalent statements; `None` if it has no statement of this kind.
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
        let rewritten: Vec<_> = faults.without(kernel).into_iter().map(|(_, text)| text).collect();
        let expected = "    shl.b64 %rd1, %rd2, 63;\n    @!%p1 set.eq.u32.u32 %r1, %r2, 0;\n    @!%p1 and.b32 %r1, %r1, 1;\n";
        assert_eq!(rewritten, [expected]);
    }

    #[test]
    fn a_kernel_without_two_faulty_statements() {
        let faults = Faults::load().expect("the list");
        let rewritten = faults.without("    cvt.sat.u8.s32 %r1, %r2;\n    add.sat.s32 %r3, %r4, 5;\n");
        let [_, _, (reason, both)] = rewritten.as_slice() else { panic!("{rewritten:?}") };
        assert!(
            reason.starts_with("of `cvt.sat.u8.s32`") && reason.contains("; and of `add.sat.s32`"),
            "{reason}"
        );
        let expected = "     max.s32 %r1, %r2, 0;\n     min.s32 %r1, %r1, 255;\n     vadd.s32.s32.s32.sat %r3, %r4, 5;\n";
        assert_eq!(both, expected);
    }
}
