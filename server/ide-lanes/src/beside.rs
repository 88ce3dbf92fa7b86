//! Where a run parts from the one that it is held against, in words.

use std::fmt::Write;

use text_size::TextSize;
use warplens_sim::{Divergence, LineTrace, Mask, Status};

use crate::shown::{Shown, ShownStatement};

/// Causes that are told.
const MOST_CAUSES: usize = 2;

/// Where the warp that is shown parts from the other run, else where the first one does that parts at all.
pub(super) fn parting(shown: &Shown) -> Option<&Divergence> {
    let partings = &shown.result().model_diff.as_ref()?.divergences;
    partings.iter().find(|parting| parting.warp == shown.warp()).or(partings.first())
}

/// Where and why a run parts from the one that it is held against, in a few words; `None` for a run that is held against none,
/// or that came to no good end before it parted.
/// `line_of` gives the line of an offset, from 0.
pub fn first_parting(shown: &Shown, line_of: &dyn Fn(TextSize) -> u32) -> Option<String> {
    let other = shown.result().model_diff.as_ref()?.model;
    let Some(parting) = parting(shown) else {
        let ended = shown.result().status == Status::Finished;
        return ended.then(|| format!("same lanes as `{other}`"));
    };
    let line = line(shown, parting.statement, line_of)?;
    let warp =
        if parting.warp == shown.warp() { String::new() } else { format!(" in warp {}", parting.warp.warp) };
    let mut text = format!("parts from `{other}`{warp} at {line}, visit {}", parting.visit);
    if let Some(causes) = causes(parting, shown, line_of) {
        let _ = write!(text, ": {causes}");
    }
    Some(text)
}

/// What the other run does at a statement, where that is something else. `sentence` tells it for a warp of so many lanes.
pub(super) fn at_statement(
    statement: &ShownStatement<'_>,
    shown: &Shown,
    line_of: &dyn Fn(TextSize) -> u32,
    sentence: &dyn Fn(&ShownStatement<'_>, Mask) -> String,
) -> Option<String> {
    let beside = shown.result().model_diff.as_ref()?;
    let other =
        beside.warps.iter().find(|warp| (warp.cta, warp.warp) == (shown.warp().cta, shown.warp().warp))?;
    let there = other.line(statement.id);
    if same(statement.trace, there) {
        return None;
    }
    let told = sentence(&ShownStatement { trace: there, ..*statement }, other.launched);
    let mut text = format!("Under `{}`: {told}", beside.model);
    if let Some(parting) = parting(shown).filter(|parting| parting.statement == statement.id) {
        let _ = write!(text, " The two part here first, at visit {}", parting.visit);
        match causes(parting, shown, line_of) {
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

/// What may have been the cause, the latest first.
fn causes(parting: &Divergence, shown: &Shown, line_of: &dyn Fn(TextSize) -> u32) -> Option<String> {
    let cause = |(sentence, at): &(&'static str, _)| match *at == parting.statement {
        true => Some((*sentence).to_owned()),
        false => Some(format!("{sentence} ({})", line(shown, *at, line_of)?)),
    };
    let here = parting.why.first().is_some_and(|(_, at)| *at == parting.statement);
    let most = if here { 1 } else { MOST_CAUSES };
    let causes: Vec<_> = parting.why.iter().filter_map(cause).take(most).collect();
    (!causes.is_empty()).then(|| causes.join("; "))
}

fn line(
    shown: &Shown,
    statement: warplens_sim::StatementId,
    line_of: &dyn Fn(TextSize) -> u32,
) -> Option<String> {
    Some(format!("line {}", line_of(shown.place(statement)?.start()) + 1))
}
