//! A read of shared memory that not all threads have written: zeros that all threads store before.

use text_size::TextRange;
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use super::code::{self, Code};
use super::divergent_barrier::branch_around;
use crate::simulator::FindingInText;

/// How many stores are tried.
const MOST: usize = 4;

/// For each conditional store to shared memory before the read, a store of zero to its address before the condition.
pub(super) fn stored(found: FindingInText<'_>) -> Vec<Fix> {
    let Some(read) = found.finding.statement else { return Vec::new() };
    code::before(read).filter_map(|store| zero_before(found, store)).take(MOST).collect()
}

fn zero_before(found: FindingInText<'_>, store: StatementId) -> Option<Fix> {
    let code = Code::of(found, store).filter(|code| code.opcode.starts_with("st.shared"))?;
    let [address, _] = code.operands[..] else { return None };
    let zero = match code.ty() {
        "f32" => "0f00000000",
        "f64" => "0d0000000000000000",
        ty if ty.starts_with(['u', 's', 'b']) => "0",
        _ => return None,
    };
    let statement = found.statement(store)?;
    let has_guard = statement.range.start() < statement.opcode.start();
    let at = match branch_around(found, store) {
        Some((branch, _)) => found.statement(branch)?.range.start(),
        None => has_guard.then_some(statement.range.start())?,
    };
    let stored = format!("{} {address}, {zero};", code.opcode);
    let insert = format!("{stored}\n{}", found.indent(at));
    let edits = vec![TextEdit { range: TextRange::empty(at), insert }];
    Some(Fix { title: format!("Store zero first: `{stored}`"), edits, preferred: false })
}
