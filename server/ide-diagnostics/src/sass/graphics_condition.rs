//! `graphics-condition`: a condition on the state of graphics.

use warplens_hir::sass::{Operand, Value};
use warplens_ide_db::Problem;

use crate::codes;

pub(super) fn check(operand: &Operand) -> Option<Problem> {
    let Value::Condition(condition) = &operand.value else { return None };
    let message =
        format!("`CC.{}` depends on the state of graphics: a simulation stops here", condition.name());
    condition.is_of_graphics().then(|| Problem::hint(operand.range, codes::GRAPHICS_CONDITION, message))
}
