//! Edits that may fix a finding of PTX: a file for each kind.

mod bounds;
mod code;
mod divergent_barrier;
mod first_value;
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
        FindingKind::AsyncResult | FindingKind::AsyncSource | FindingKind::DataRace => parity::toggled(found),
        FindingKind::WrongMembermask | FindingKind::AbsentMembers | FindingKind::ShuffleInactive => {
            member_mask::corrected(found)
        }
        FindingKind::DivergentBarrier => divergent_barrier::corrected(found),
        FindingKind::OutOfBounds => bounds::corrected(found),
        FindingKind::UninitializedRead => first_value::stored(found),
        _ => Vec::new(),
    }
}
