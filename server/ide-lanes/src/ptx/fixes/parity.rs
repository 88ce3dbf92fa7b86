//! The fix of a wait at an mbarrier that should pass the first time, as a producer's does: it starts with the other parity.

use std::ops::Range;

use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use super::literal::{self, Wanted};
use super::text_range::text_range;
use crate::simulator::FindingInText;

/// Changes the parity of the wait, if it is a literal, or the only `mov` that gives its register the value 0.
pub(super) fn start_with_one(found: FindingInText<'_>) -> Option<Fix> {
    let wait = found.finding.statement.filter(|_| found.finding.starts_late)?;
    let parity = parity(found, wait)?;
    let is_zero = |literal: &str| matches!(literal, "0" | "0x0" | "0X0" | "0U");
    let zero = literal::behind(found, wait, parity, &Wanted { literal: &is_zero, other_reader: &|_| false })?;
    let edits = vec![TextEdit { range: text_range(&zero), insert: "1".to_owned() }];
    Some(Fix { title: "Start with parity 1".to_owned(), edits, preferred: false })
}

/// The operand after the address: `mbarrier.try_wait.parity.b64 %p1, [%r1], 0;`.
fn parity(found: FindingInText<'_>, wait: StatementId) -> Option<Range<usize>> {
    let range = found.code_range(wait)?;
    let statement = found.text.get(range.clone()).filter(|statement| statement.contains(".parity"))?;
    let after = statement.find(']')? + 1;
    let comma = after + statement[after..].find(',')? + 1;
    let length = statement[comma..].find([',', ';']).unwrap_or(statement.len() - comma);
    let start = range.start + comma;
    Some(literal::trimmed(found.text, start..start + length))
}
