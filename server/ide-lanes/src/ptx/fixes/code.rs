//! Statements as text: opcode, operands, and which of them gives a register its value.

use warplens_sim_warp::StatementId;

use crate::simulator::FindingInText;

/// `ld.global.u32 %r1, [%rd1+4];`
pub(super) struct Code<'t> {
    /// `ld.global.u32`
    pub(super) opcode: &'t str,
    /// `%r1`, `[%rd1+4]`
    pub(super) operands: Vec<&'t str>,
}

impl<'t> Code<'t> {
    pub(super) fn of(found: FindingInText<'t>, id: StatementId) -> Option<Code<'t>> {
        let text = found.text.get(found.code_range(id)?)?.trim_end().trim_end_matches(';');
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Some(Code { opcode, operands: split(operands) })
    }

    /// The part of the opcode after its last dot: `u32`.
    pub(super) fn ty(&self) -> &'t str {
        self.opcode.rsplit('.').next().unwrap_or_default()
    }

    /// The registers that are read: all but the first operand.
    pub(super) fn sources(&self) -> impl Iterator<Item = &'t str> {
        self.operands.iter().skip(1).copied().filter(|operand| operand.starts_with(['%', '$']))
    }
}

/// Splits operands at the commas outside of braces and brackets.
fn split(operands: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = operands.split(|c| {
        depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        depth == 0 && c == ','
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The statements before another one, the nearest first.
pub(super) fn before(id: StatementId) -> impl Iterator<Item = StatementId> {
    (0..id.0).rev().map(StatementId)
}

/// The last statement before another one whose first operand is a register.
pub(super) fn definition(found: FindingInText<'_>, at: StatementId, register: &str) -> Option<StatementId> {
    before(at).find(|id| Code::of(found, *id).is_some_and(|code| code.operands.first() == Some(&register)))
}

/// Whether a register of a statement has 32 bits.
pub(super) fn has_32_bits(found: FindingInText<'_>, at: StatementId, register: &str) -> bool {
    found.statement(at).is_some_and(|statement| statement.type_of(register).bits() == 32)
}

/// A name for a new register.
pub(super) fn unused(found: FindingInText<'_>, name: &str) -> String {
    let mut names = std::iter::once(name.to_owned()).chain((1..).map(|number| format!("{name}{number}")));
    names.find(|name| !found.text.contains(name.as_str())).unwrap_or_default()
}
