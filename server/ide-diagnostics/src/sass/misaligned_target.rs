//! `misaligned-target`: a target that is not a multiple of 4.

use text_size::TextRange;
use warplens_ide_db::Problem;

use super::signed_hex::signed_hex;
use crate::codes;

pub(super) fn check(range: TextRange, address: i64) -> Option<Problem> {
    let address_text = signed_hex(address);
    let message =
        format!("the target {address_text} is not a multiple of 4, as all addresses of instructions are");
    (address % 4 != 0).then(|| Problem::warning(range, codes::MISALIGNED_TARGET, message))
}
