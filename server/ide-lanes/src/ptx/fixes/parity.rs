//! The parity of a wait at an mbarrier: of one that should pass the first time, as a producer's does, and of one in a loop, which waits for
//! the next phase each time.

use std::ops::Range;

use text_size::TextRange;
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use super::code;
use super::literal::{self, Wanted};
use super::text_range::text_range;
use crate::program::Flow;
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

/// How many waits are tried.
const MOST: usize = 4;

/// For each wait whose parity never changes, the other parity after it.
pub(super) fn toggled(found: FindingInText<'_>) -> Vec<Fix> {
    (0..found.statements.len() as u32)
        .filter_map(|id| toggle_after(found, StatementId(id)))
        .take(MOST)
        .collect()
}

/// Toggles a register after the loop that waits: the one that holds the parity, or a new one instead of a literal.
fn toggle_after(found: FindingInText<'_>, wait: StatementId) -> Option<Fix> {
    let parity = parity(found, wait)?;
    let operand = &found.text[parity.clone()];
    let is_literal = |text: &str| matches!(text, "0" | "1");
    let is_branch = |id: &StatementId| {
        found.statement(*id).is_some_and(|statement| matches!(statement.flow, Flow::Branch { .. }))
    };
    let after = (wait.0 + 1..found.statements.len() as u32).map(StatementId).find(is_branch)?;
    let after = found.statement(after)?.range.end();
    let toggle = |register: &str| TextEdit {
        range: TextRange::empty(after),
        insert: format!("\n{}xor.b32 {register}, {register}, 1;", found.indent(after)),
    };
    if !is_literal(operand) {
        literal::behind(found, wait, parity, &Wanted { literal: &is_literal, other_reader: &|_| false })?;
        let title = format!("Toggle the parity `{operand}` after the wait");
        return Some(Fix { title, edits: vec![toggle(operand)], preferred: false });
    }
    let start = found.statement(StatementId(0))?.range.start();
    let (indent, register) = (found.indent(start), code::unused(found, "%parity"));
    let first = format!(".reg .b32 {register};\n{indent}mov.b32 {register}, {operand};\n{indent}");
    let edits = vec![
        TextEdit { range: TextRange::empty(start), insert: first },
        TextEdit { range: text_range(&parity), insert: register.clone() },
        toggle(&register),
    ];
    Some(Fix { title: "Toggle the parity after the wait".to_owned(), edits, preferred: false })
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
