//! `missing-target`: a branch to an address or a label that is not an instruction.

use text_size::TextRange;
use warplens_hir::sass::{Function, Operand};
use warplens_ide_db::Problem;
use warplens_ide_db::sass::names;

use super::signed_hex::signed_hex;
use crate::codes;

pub(super) fn address(range: TextRange, address: i64) -> Problem {
    let message = format!("there is not an instruction at {}", signed_hex(address));
    Problem::warning(range, codes::MISSING_TARGET, message)
}

/// Whether an address is between the first and the last instruction.
pub(super) fn lies_within(function: &Function, address: i64) -> bool {
    let all = &function.instructions;
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return false };
    function.has_addresses && i64::from(first.address) < address && address < i64::from(last.address)
}

/// A label that the whole function does not have.
pub(super) fn label(operand: &Operand) -> Option<Problem> {
    // Other names are functions elsewhere.
    let symbol = names::symbol(operand).filter(|symbol| symbol.name.starts_with(".L"))?;
    let message = format!("this function does not have the label `{}`", symbol.name);
    Some(Problem::warning(symbol.range, codes::MISSING_TARGET, message))
}
