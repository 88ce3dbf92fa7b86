//! What the values of operands stand for: descriptors and parts of matrices.

use warplens_sim::TracedVisit;

use crate::shown::ShownStatement;

/// The register that `is_named` selects in words, with its values after the statement.
pub(super) fn of_register(
    statement: &ShownStatement<'_>,
    seen: &TracedVisit,
    is_named: &dyn Fn(&str) -> bool,
) -> String {
    let Some(meaning) = statement.meanings.iter().find(|it| !it.is_result && is_named(&it.register)) else {
        return String::new();
    };
    let lanes = if seen.executed == 0 { seen.active } else { seen.executed };
    let values = |name: &str| {
        let held = seen.registers.iter().find(|held| held.name == name)?;
        Some(held.low.to_vec())
    };
    meaning.text(lanes.trailing_zeros() as usize, &values) + "\n\n"
}
