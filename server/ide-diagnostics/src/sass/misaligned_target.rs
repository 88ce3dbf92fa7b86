//! `misaligned-target`: a target that is not a multiple of 4.

use text_size::TextRange;
use warplens_ide_db::Problem;

use super::no_such_encoding::shown;
use crate::codes;

pub(super) fn check(range: TextRange, address: i64) -> Option<Problem> {
    let shown = shown(address);
    let message = format!("the target {shown} is not a multiple of 4, as all addresses of instructions are");
    (address % 4 != 0).then(|| Problem::warning(range, codes::MISALIGNED_TARGET, message))
}
