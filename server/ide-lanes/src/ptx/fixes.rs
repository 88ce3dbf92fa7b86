//! Edits that may fix a finding of PTX: a file for each kind.

mod divergent_barrier;
mod literal;
mod member_mask;
mod parity;
mod text_range;

use warplens_ide_db::Fix;
use warplens_sim_warp::FindingKind;

use crate::simulator::FindingInText;

pub(super) fn fixes(found: FindingInText<'_>) -> Vec<Fix> {
    match found.finding.kind {
        FindingKind::NoProgress => parity::start_with_one(found).into_iter().collect(),
        FindingKind::WrongMembermask | FindingKind::AbsentMembers | FindingKind::ShuffleInactive => {
            member_mask::corrected(found)
        }
        FindingKind::DivergentBarrier => divergent_barrier::corrected(found),
        _ => Vec::new(),
    }
}
