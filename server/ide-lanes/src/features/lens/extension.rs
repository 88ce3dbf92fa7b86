//! The lenses of the extension: each part of the result leads to what it names.

use warplens_sim_warp::{Status, WarpId};

use super::click::{Click, Lens, LensRank, LensTarget};
use super::titles::{assumed, broken, ended, expected, launch_title, under};
use crate::count::count;
use crate::features::warps::percent;
use crate::launches::AvailableLaunch;
use crate::simulator::DocumentKernel;
use crate::view::{LaneView, LineOf, first_divergence};

/// The most facts about the run between its result and its warp: findings, expectations, another model, an invalid launch.
const MOST_FACTS: usize = 2;

pub(super) fn over(
    kernel: &DocumentKernel,
    launches: &[&AvailableLaunch],
    running: Option<&LaneView>,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let entry = kernel.kernel.name.to_string();
    let edit = || Click::Edit { entry: entry.clone() };
    let pick = Click::Pick { entry: entry.clone() };
    let broken = broken(launches).map(|title| (title, edit()));
    let (run, mut shortcuts) = match running {
        Some(shown) => {
            let mut facts = facts(shown, line_of, edit);
            facts.extend(broken);
            facts.truncate(MOST_FACTS);
            let mut run = vec![(result(shown, line_of), Click::GoTo(LensTarget::Divergence))];
            run.append(&mut facts);
            run.push((warp(shown), Click::GoTo(LensTarget::Warp)));
            run.push((format!("{}{}{} ▾", shown.launch().name, assumed(shown.launch()), under(shown)), pick));
            let mut shortcuts: Vec<_> = printed(shown).into_iter().collect();
            shortcuts.push(("Lanes Panel".to_owned(), Click::GoTo(LensTarget::Panel)));
            shortcuts.push(("■ Stop".to_owned(), Click::Stop));
            (run, shortcuts)
        }
        None => {
            // Configured launches come first.
            let default = launches.iter().find(|launch| launch.problem.is_none());
            let select = |launch: &&AvailableLaunch| {
                let click = Click::Select { entry: entry.clone(), launch: launch.name.clone() };
                (launch_title(launch), click)
            };
            let mut run: Vec<_> = default.map(select).into_iter().collect();
            run.push((format!("{} ▾", count(launches.len(), "launch")), pick));
            run.extend(broken);
            (run, vec![("Edit Launch".to_owned(), edit())])
        }
    };
    shortcuts.extend(kernel.note.clone().map(|note| (note, Click::Nothing)));
    let lens = |rank| move |(title, click)| Lens { range: kernel.name, title, click, rank };
    run.into_iter()
        .map(lens(LensRank::Run))
        .chain(shortcuts.into_iter().map(lens(LensRank::Shortcut)))
        .collect()
}

/// What the run has shown, the most important first; each leads to what it names.
fn facts(shown: &LaneView, line_of: LineOf<'_>, edit: impl Fn() -> Click) -> Vec<(String, Click)> {
    let findings = shown.findings().len();
    let found = (findings > 0).then(|| (count(findings, "finding"), Click::GoTo(LensTarget::Finding)));
    let is_stored = shown.failures.iter().any(|failure| failure.writer.is_some());
    let check = || if is_stored { Click::GoTo(LensTarget::Unexpected) } else { edit() };
    let checked = expected(shown).map(|title| (title, check()));
    let differs = first_divergence(shown, line_of);
    let differs = differs.map(|title| (title, Click::GoTo(LensTarget::Divergence)));
    found.into_iter().chain(checked).chain(differs).collect()
}

/// `✓ 6,496 instr · 78 % active`
fn result(shown: &LaneView, line_of: LineOf<'_>) -> String {
    let result = &shown.result;
    let totals = &result.totals;
    let width = u64::from(shown.width());
    let share = percent(totals.thread_instructions, totals.warp_instructions * width);
    // A launch in which a race cannot occur says nothing about races.
    let unseen = shown.unseen_races().filter(|_| result.status == Status::Finished && !shown.has_findings());
    let mark = match (result.status, shown.has_findings()) {
        _ if shown.partial => "…",
        _ if shown.verdict().is_incomplete() => "○",
        (Status::Finished, false) if unseen.is_some() => "○",
        (Status::Finished, false) => "✓",
        (Status::Finished, true) => "⚠",
        _ => "✗",
    };
    let unseen = unseen.map_or_else(String::new, |unseen| format!(" · {unseen}"));
    let ran = match totals.warp_instructions {
        0 => "nothing was run".to_owned(),
        steps => format!("{} instr · {share} % active", grouped(steps)),
    };
    format!("{mark} {ran}{unseen}{}", ended(shown, line_of, " · "))
}

/// `2 lines printed`
fn printed(shown: &LaneView) -> Option<(String, Click)> {
    let title = match shown.result.output.text.lines().count() {
        0 => return None,
        1 => "1 line printed".to_owned(),
        many => format!("{} lines printed", grouped(many as u64)),
    };
    Some((title, Click::GoTo(LensTarget::Output)))
}

/// `block 0, warp 1 of 8`
fn warp(shown: &LaneView) -> String {
    let WarpId { cta: [x, y, z], warp } = shown.warp;
    let block = match shown.launch().grid.unwrap_or([1; 3]) {
        [_, 1, 1] => format!("{x}"),
        _ => format!("{x},{y},{z}"),
    };
    let threads: u64 =
        shown.launch().block.unwrap_or([1; 3]).iter().map(|&extent| u64::from(extent)).product();
    format!("block {block}, warp {warp} of {}", threads.div_ceil(u64::from(shown.width())))
}

/// `6,496`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
