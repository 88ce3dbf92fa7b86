//! The code lenses above a kernel: the launches to run with a click, and the shown run.

mod extension;

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_sim::Status;
use warplens_sim::launch::{Launch, size};

use crate::model_diff::first_divergence;
use crate::offer::{KernelPlace, Offer, Source};
use crate::shown::{LineOf, Shown};

/// The lenses that a client supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LensStyle {
    /// Only commands of the server.
    #[default]
    Plain,
    /// Also commands of the extension.
    Extension,
}

/// A code lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The kernel's name in the text.
    pub range: TextRange,
    /// Its title.
    pub title: String,
    /// Its command.
    pub click: Click,
}

/// The command of a lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Click {
    /// Selects a launch by name.
    Select {
        /// The kernel.
        entry: String,
        /// The launch, which may be `inferred`.
        launch: String,
    },
    /// Clears the selection.
    Stop,
    /// Opens the extension's list of launches.
    Pick {
        /// The kernel.
        entry: String,
    },
    /// Opens or writes a launch of the kernel, in the extension.
    Edit {
        /// The kernel.
        entry: String,
    },
    /// A step through the shown run, in the extension.
    Step(Step),
    /// None: the lens is only information.
    Nothing,
}

/// What the extension goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next line at which lanes diverge.
    Divergence,
    /// The next finding.
    Finding,
    /// Another warp.
    Warp,
    /// The lanes panel.
    Panel,
    /// The text that the kernel printed, in the lanes panel.
    Output,
}

/// The maximum number of launches of a kernel with lenses; the extension lists the others.
const SHOWN_LAUNCHES: usize = 3;

/// The lenses above `kernels`. `line_of` gives the line of an offset, from 0.
pub fn lenses(
    kernels: &[KernelPlace],
    offers: &[Offer],
    shown: Option<&Shown>,
    style: LensStyle,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let first = kernels.first().map(|place| place.kernel.name.as_str());
    let mut of_kernels: FxHashMap<&str, Vec<&Offer>> = FxHashMap::default();
    for offer in offers {
        // Launches whose kernel cannot be determined are shown above the first one.
        let Some(entry) = offer.entry.as_deref().or(first) else { continue };
        of_kernels.entry(entry).or_default().push(offer);
    }
    let mut lenses = Vec::new();
    for place in kernels {
        let entry = place.kernel.name.as_str();
        let of_kernel = of_kernels.get(entry).into_iter().flatten().copied();
        let running = shown.filter(|shown| shown.entry() == entry);
        lenses.extend(match style {
            LensStyle::Plain => over(place, of_kernel, running, line_of),
            LensStyle::Extension => extension::over(place, of_kernel, running, line_of),
        });
    }
    lenses
}

fn over<'o>(
    place: &KernelPlace,
    offers: impl Iterator<Item = &'o Offer>,
    running: Option<&Shown>,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let entry = place.kernel.name.to_string();
    let lens = |title: String, click: Click| Lens { range: place.name, title, click };
    let mut lenses = Vec::new();
    if let Some(shown) = running {
        lenses.push(lens(run_title(shown, line_of), Click::Nothing));
        lenses.extend(expected(shown).map(|title| lens(title, Click::Nothing)));
        lenses.extend(first_divergence(shown, line_of).map(|divergence| lens(divergence, Click::Nothing)));
        lenses.push(lens("■ Stop".to_owned(), Click::Stop));
    }
    let (written, inferred): (Vec<_>, Vec<_>) = offers.partition(|offer| offer.source != Source::Inferred);
    let usable = written.iter().filter(|offer| offer.problem.is_none());
    let is_running = |offer: &Offer| running.is_some_and(|shown| shown.launch().name == offer.name);
    for offer in usable.take(SHOWN_LAUNCHES).chain(&inferred).filter(|offer| !is_running(offer)) {
        let click = Click::Select { entry: entry.clone(), launch: offer.name.clone() };
        lenses.push(lens(launch_title(offer), click));
    }
    let broken = written.iter().find_map(|offer| Some((&offer.name, offer.problem.as_ref()?)));
    if let Some((name, problem)) = broken {
        lenses.push(lens(format!("⚠ {name}: {problem}"), Click::Nothing));
    }
    lenses.extend(place.note.clone().map(|note| lens(note, Click::Nothing)));
    lenses
}

/// `▶ Run inferred 1 x 64`
fn launch_title(offer: &Offer) -> String {
    let (grid, block) = (size(offer.grid), size(offer.block));
    match offer.source {
        Source::Inferred => format!("▶ Run inferred {grid} x {block}"),
        _ => format!("▶ Run {}", offer.name),
    }
}

/// A summary of the run, in a few words.
fn run_title(shown: &Shown, line_of: LineOf<'_>) -> String {
    let result = shown.result();
    let totals = &result.totals;
    let width = u64::from(shown.width());
    let share = (totals.thread_instructions * 100).checked_div(totals.warp_instructions * width).unwrap_or(0);
    let findings = match result.findings.len() {
        0 => String::new(),
        1 => ", 1 finding".to_owned(),
        many => format!(", {many} findings"),
    };
    let ended = match result.status {
        _ if shown.is_partial() => ", first part of the run".to_owned(),
        Status::Finished => String::new(),
        other => format!(", {}{}", other.as_str(), stopped_at(shown, line_of).unwrap_or_default()),
    };
    let outdated = if shown.is_outdated() { " (before the last edits)" } else { "" };
    let ran = match totals.warp_instructions {
        0 => "nothing was run".to_owned(),
        steps => format!("{steps} warp instructions, {share}% of lanes"),
    };
    let under = under(shown);
    let assumed = assumed(shown.launch());
    format!("{}{assumed}{under}: {ran}{findings}{ended}{outdated}", shown.launch().name)
}

/// `✓ expected`, or the first expectation of the launch that does not hold.
fn expected(shown: &Shown) -> Option<String> {
    match shown.failures().first() {
        Some(failure) => {
            let first = failure.split(';').next().unwrap_or_default();
            Some(format!("✗ {}", first.replace('`', "")))
        }
        None => shown.is_checked().then(|| "✓ expected".to_owned()),
    }
}

/// ` with block 256`: what an inferred launch assumes because the kernel has findings without.
fn assumed(launch: &Launch) -> String {
    match launch.assumed.is_empty() {
        true => String::new(),
        false => format!(" with {}", launch.assumed.join(", ")),
    }
}

/// ` at line 3 (no-meaning)`: the finding that stopped a run.
fn stopped_at(shown: &Shown, line_of: LineOf<'_>) -> Option<String> {
    let (finding, at) = shown.stopped_at()?;
    Some(format!(" at line {} ({})", line_of(at) + 1, finding.code))
}

/// `, wave-emu`: the model of the run, if it is not a default.
fn under(shown: &Shown) -> String {
    if shown.is_usual_model() { String::new() } else { format!(", {}", shown.model()) }
}
