//! The first difference of a run from the same launch under another model, as text.

use std::fmt::Write;

use text_size::TextSize;
use warplens_sim_warp::{Divergence, LineTrace, Mask, Status};

use super::lane_view::{LaneView, StatementView};

const MOST_CAUSES: usize = 2;

/// The first difference of the shown warp, or else of the first warp that differs.
fn divergence(shown: &LaneView) -> Option<&Divergence> {
    let divergences = &shown.result.model_diff.as_ref()?.divergences;
    divergences.iter().find(|divergence| divergence.warp == shown.warp).or(divergences.first())
}

/// Where and why a run first differs from the run that it is compared with, in a few words. `None` without a comparison, and for
/// a run that failed before any difference.
pub fn first_divergence(shown: &LaneView, line_of: &dyn Fn(TextSize) -> u32) -> Option<String> {
    let other = shown.result.model_diff.as_ref()?.model;
    let Some(divergence) = divergence(shown) else {
        let ended = shown.result.status == Status::Finished;
        return ended.then(|| format!("same lanes as `{other}`"));
    };
    let line = line(shown, divergence.statement, line_of)?;
    let warp = if divergence.warp == shown.warp {
        String::new()
    } else {
        format!(" in warp {}", divergence.warp.warp)
    };
    let mut text = format!("differs from `{other}`{warp} at {line}, visit {}", divergence.visit);
    if let Some(causes) = causes(divergence, shown, line_of) {
        let _ = write!(text, ": {causes}");
    }
    Some(text)
}

/// What the other run did at a statement, if it differs. `sentence` describes a statement for the launched lanes of a warp.
pub(crate) fn at_statement(
    statement: &StatementView<'_>,
    shown: &LaneView,
    line_of: &dyn Fn(TextSize) -> u32,
    sentence: &dyn Fn(&StatementView<'_>, Mask) -> String,
) -> Option<String> {
    let beside = shown.result.model_diff.as_ref()?;
    let other =
        beside.warps.iter().find(|warp| (warp.cta, warp.warp) == (shown.warp.cta, shown.warp.warp))?;
    let there = other.line(statement.id);
    if same(statement.trace, there) {
        return None;
    }
    let sentence = sentence(&StatementView { trace: there, ..*statement }, other.launched);
    let mut text = format!("Under `{}`: {sentence}", beside.model);
    if let Some(divergence) = divergence(shown).filter(|divergence| divergence.statement == statement.id) {
        let _ = write!(text, " This is the first difference, at visit {}", divergence.visit);
        match causes(divergence, shown, line_of) {
            Some(causes) => {
                let _ = write!(text, ": {causes}.");
            }
            None => text.push('.'),
        }
    }
    Some(text)
}

fn same(here: Option<&LineTrace>, there: Option<&LineTrace>) -> bool {
    match (here, there) {
        (Some(here), Some(there)) => here.count == there.count && here.visits == there.visits,
        (here, there) => here.is_none() && there.is_none(),
    }
}

/// The possible causes, the latest first.
fn causes(divergence: &Divergence, shown: &LaneView, line_of: &dyn Fn(TextSize) -> u32) -> Option<String> {
    let cause = |(sentence, at): &(&'static str, _)| match *at == divergence.statement {
        true => Some((*sentence).to_owned()),
        false => Some(format!("{sentence} ({})", line(shown, *at, line_of)?)),
    };
    let here = divergence.why.first().is_some_and(|(_, at)| *at == divergence.statement);
    let most = if here { 1 } else { MOST_CAUSES };
    let causes: Vec<_> = divergence.why.iter().filter_map(cause).take(most).collect();
    (!causes.is_empty()).then(|| causes.join("; "))
}

fn line(
    shown: &LaneView,
    statement: warplens_sim_warp::StatementId,
    line_of: &dyn Fn(TextSize) -> u32,
) -> Option<String> {
    Some(format!("line {}", line_of(shown.place(statement)?.start()) + 1))
}
