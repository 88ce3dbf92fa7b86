//! What the values of operands mean: descriptors, parts of matrices, and addresses in tensor memory.

use warplens_sim_ptx::meaning::OperandMeaning;
use warplens_sim_warp::TracedVisit;

use crate::view::StatementView;

/// The meaning of the register that `is_named` selects.
pub(super) fn of<'s>(
    statement: &StatementView<'s>,
    is_named: &dyn Fn(&str) -> bool,
) -> Option<&'s OperandMeaning> {
    statement.statement.meanings.iter().find(|meaning| meaning.register().is_some_and(is_named))
}

/// The meaning in words, with the values after the statement.
pub(super) fn of_register(
    statement: &StatementView<'_>,
    seen: &TracedVisit,
    is_named: &dyn Fn(&str) -> bool,
) -> String {
    let Some(meaning) = of(statement, is_named) else { return String::new() };
    let lanes = if seen.executed == 0 { seen.active } else { seen.executed };
    let values = |name: &str| {
        let held = seen.registers.iter().find(|held| held.name == name)?;
        Some(held.low.to_vec())
    };
    meaning.text(lanes.trailing_zeros() as usize, &values) + "\n\n"
}
