//! The lenses of the extension: each part of the result leads to what it names.

use warplens_sim_warp::{Status, WarpId};

use super::click::{Click, Lens, LensTarget};
use super::titles::{assumed, broken, ended, expected, launch_title, under};
use crate::count::count;
use crate::features::warps::percent;
use crate::launches::AvailableLaunch;
use crate::simulator::DocumentKernel;
use crate::view::{LaneView, LineOf, first_divergence};

pub(super) fn over(
    kernel: &DocumentKernel,
    launches: &[&AvailableLaunch],
    running: Option<&LaneView>,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let entry = kernel.kernel.name.to_string();
    let lens = |title: String, click: Click| Lens { range: kernel.name, title, click };
    let mut lenses = Vec::new();
    let pick = Click::Pick { entry: entry.clone() };
    match running {
        Some(shown) => {
            let parts = result(shown, line_of).into_iter();
            lenses.extend(parts.map(|(title, step)| lens(title, Click::GoTo(step))));
            lenses.extend(
                first_divergence(shown, line_of)
                    .map(|title| lens(title, Click::GoTo(LensTarget::Divergence))),
            );
            let edit = || Click::Edit { entry: entry.clone() };
            let failed = shown.failures.iter().any(|failure| failure.writer.is_some());
            let check = || if failed { Click::GoTo(LensTarget::Unexpected) } else { edit() };
            lenses.extend(expected(shown).map(|title| lens(title, check())));
            let name = format!("{}{}{} ▾", shown.launch().name, assumed(shown.launch()), under(shown));
            lenses.push(lens(name, pick));
            lenses.push(lens("Edit Launch".to_owned(), edit()));
            lenses.push(lens("Lanes Panel".to_owned(), Click::GoTo(LensTarget::Panel)));
            lenses.push(lens("■ Stop".to_owned(), Click::Stop));
        }
        None => {
            // Configured launches come first.
            let default = launches.iter().find(|launch| launch.problem.is_none());
            lenses.extend(default.map(|launch| {
                lens(
                    launch_title(launch),
                    Click::Select { entry: entry.clone(), launch: launch.name.clone() },
                )
            }));
            lenses.push(lens(format!("{} ▾", count(launches.len(), "launch")), pick));
            lenses.push(lens("Edit Launch".to_owned(), Click::Edit { entry: entry.clone() }));
        }
    }
    lenses.extend(broken(launches).map(|title| lens(title, Click::Edit { entry })));
    lenses.extend(kernel.note.clone().map(|note| lens(note, Click::Nothing)));
    lenses
}

/// `✓ 6,496 instr · 78 % active`, `2 findings`, `block 0, warp 1 of 8`.
fn result(shown: &LaneView, line_of: LineOf<'_>) -> Vec<(String, LensTarget)> {
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
    let ran = format!("{mark} {ran}{unseen}{}", ended(shown, line_of, " · "));
    let mut parts = vec![(ran, LensTarget::Divergence)];
    if let findings @ 1.. = shown.findings().len() {
        parts.push((count(findings, "finding"), LensTarget::Finding));
    }
    match shown.result.output.text.lines().count() {
        0 => {}
        1 => parts.push(("1 line printed".to_owned(), LensTarget::Output)),
        many => parts.push((format!("{} lines printed", grouped(many as u64)), LensTarget::Output)),
    }
    parts.push((warp(shown), LensTarget::Warp));
    parts
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
