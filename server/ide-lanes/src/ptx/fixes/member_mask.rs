//! The member mask of a `.sync` instruction: all lanes, or those that execute it.

use std::ops::Range;

use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::{FindingKind, StatementId};

use super::literal::{self, Wanted};
use super::text_range::text_range;
use crate::simulator::FindingInText;

/// The instructions whose last operand is a member mask.
const WITH_MASK: [&str; 7] = [
    "shfl.sync",
    "vote.sync",
    "match.any.sync",
    "match.all.sync",
    "redux.sync",
    "bar.warp.sync",
    "elect.sync",
];

/// Replaces the mask of the statement, then that of all statements with the same literal.
pub(super) fn corrected(found: FindingInText<'_>) -> Vec<Fix> {
    let Some((at, mask)) = found.finding.statement.and_then(|at| Some((at, mask(found, at)?))) else {
        return Vec::new();
    };
    let wanted = Wanted { literal: &|text| number(text).is_some(), other_reader: &has_mask };
    let Some(literal) = literal::behind(found, at, mask, &wanted) else { return Vec::new() };
    let written = &found.text[literal.clone()];
    let executed = found.executed(at) as u32;
    let masks = match found.finding.kind {
        FindingKind::AbsentMembers => vec![executed],
        _ => vec![u32::MAX, executed],
    };
    let same =
        (0..found.statements.len() as u32).filter_map(|id| mask_of_text(found, StatementId(id), written));
    let mut sets = vec![vec![literal.clone()]];
    sets.extend(Some(same.collect::<Vec<_>>()).filter(|same| same.len() > 1 && same.contains(&literal)));
    // Any other number of lanes most likely depends on the launch.
    let is_fixed = |mask: u32| mask.count_ones().is_power_of_two();
    let masks = masks.into_iter().filter(|mask| is_fixed(*mask) && Some(*mask) != number(written));
    masks.flat_map(|mask| sets.iter().map(move |places| replaced(places, mask))).collect()
}

fn replaced(places: &[Range<usize>], mask: u32) -> Fix {
    let mask = format!("{mask:#x}");
    let edit = |place| TextEdit { range: text_range(place), insert: mask.clone() };
    Fix {
        title: format!("Use the member mask `{mask}`"),
        edits: places.iter().map(edit).collect(),
        preferred: false,
    }
}

/// The member mask of a statement, if it has one.
fn mask(found: FindingInText<'_>, at: StatementId) -> Option<Range<usize>> {
    let statement = found.code_range(at)?;
    let code = found.text.get(statement.clone())?;
    has_mask(code).then(|| literal::last_operand(found.text, statement)).flatten()
}

fn mask_of_text(found: FindingInText<'_>, at: StatementId, written: &str) -> Option<Range<usize>> {
    mask(found, at).filter(|mask| found.text.get(mask.clone()) == Some(written))
}

/// Whether a statement, which may have a guard, has a member mask.
fn has_mask(code: &str) -> bool {
    let unguarded = match code.strip_prefix('@') {
        Some(guarded) => {
            guarded.trim_start().split_once([' ', '\t']).map_or("", |(_, rest)| rest).trim_start()
        }
        None => code,
    };
    WITH_MASK.iter().any(|word| unguarded.starts_with(word))
}

/// The value of a literal.
fn number(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['U', 'u']);
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some(value.ok()? as u32)
}
