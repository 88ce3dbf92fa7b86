//! Looks for findings that the inferred launch hides, because it has one warp or one block, its lengths are multiples of a
//! warp, or its data ascends.
//!
//! A variation that makes values or addresses wrong does not suit the kernel, and its findings are ignored. Other findings
//! become information that names the launch: a guess never accuses.

mod variations;

use rustc_hash::FxHashSet;
use warplens_sim_warp::Executable;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, GuessedLaunch, RunOptions, RunResult, Severity, Status,
};

use self::variations::{Change, Shown, WARP, shortened};
use super::arguments::Place;
use super::attempts::Attempts;
use super::guess::{ABOUT_CODE, ABOUT_VALUES, Guess, is_clean};
use crate::model::{Buffer, Launch};
use crate::resolve::Resolved;

/// Maximum warp instructions of one launch that is tried, and of all together.
const STEPS: (u64, u64) = (200_000, 1_200_000);
/// The largest number that may count iterations.
const MAX_ITERATIONS: u64 = 16;
/// The maximum number of buffers whose lengths are tried.
const MAX_EXACT: usize = 8;

/// What was found under launches that were only tried.
#[derive(Debug, Clone, Default)]
pub struct Trouble {
    pub launches: Vec<Launch>,
    /// One finding of each kind; `guess` has the index of its launch.
    pub findings: Vec<Finding>,
    /// The launch to show, if one with more warps or more blocks is as clean.
    pub larger: Option<Resolved>,
}

impl Guess {
    /// Tries other launches than `shown`, which had this result.
    ///
    /// # Errors If `control` cancels the search.
    pub fn trouble(
        &self,
        shown: &Resolved,
        result: &RunResult,
        program: &dyn Executable,
        options: &RunOptions,
        control: Control<'_>,
    ) -> Result<Trouble, Cancelled> {
        let stopped = matches!(result.status, Status::Unsupported | Status::StepLimit | Status::NoProgress);
        let accused = result.findings.iter().any(|finding| finding.severity == Severity::Error);
        if stopped || accused || self.has_size {
            return Ok(Trouble::default());
        }
        let mut trials = Trials {
            attempts: Attempts::new(self, program, options, control, STEPS),
            shown: Shown { launch: &shown.launch, guess: self },
            known: result.findings.iter().map(|finding| finding.kind).collect(),
            found: Trouble::default(),
        };
        let larger = trials.sizes()?;
        trials.contents()?;
        trials.iterations()?;
        trials.lengths()?;
        if trials.found.findings.is_empty() && is_clean(result) {
            trials.found.larger = larger;
        }
        Ok(trials.found)
    }
}

struct Trials<'g> {
    attempts: Attempts<'g>,
    shown: Shown<'g>,
    /// The kinds that are reported.
    known: FxHashSet<FindingKind>,
    found: Trouble,
}

/// How a launch that is tried suits the kernel.
enum Trial {
    /// It cannot be run, or values or addresses are wrong.
    Unsuitable,
    Suitable,
    /// It has no findings.
    Clean(Box<Resolved>),
}

/// How far a kernel reaches in a buffer of some length.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Within,
    Beyond,
    /// The length makes other values wrong.
    Unclear,
}

impl Trials<'_> {
    /// Runs a launch and keeps its findings about how threads work together, and those of the kind `also`.
    fn try_launch(&mut self, launch: &Launch, also: Option<FindingKind>) -> Result<Trial, Cancelled> {
        let Some((resolved, result)) = self.attempts.run(launch)? else { return Ok(Trial::Unsuitable) };
        if is_clean(&result) {
            return Ok(Trial::Clean(Box::new(resolved)));
        }
        // A launch that takes too long still shows what came before.
        let accusations = || result.accusations().filter(|found| found.kind != FindingKind::StepLimit);
        if accusations().any(|found| Some(found.kind) != also && ABOUT_VALUES.contains(&found.kind)) {
            return Ok(Trial::Unsuitable);
        }
        let (number, under) = (self.found.launches.len(), resolved.launch.assumed.join(", "));
        let known = self.found.findings.len();
        for finding in accusations().filter(|found| !ABOUT_CODE.contains(&found.kind)) {
            if self.known.insert(finding.kind) {
                self.found.findings.push(Finding {
                    severity: Severity::Information,
                    message: format!(
                        "{}\nin another launch that was tried, with {under}: write that launch to see it",
                        finding.message
                    ),
                    guess: Some(GuessedLaunch::Tried(number)),
                    ..finding.clone()
                });
            }
        }
        if self.found.findings.len() > known {
            self.found.launches.push(resolved.launch);
        }
        Ok(Trial::Suitable)
    }

    /// More warps, and more blocks if the kernel reads the number of its block. Returns the launch with two warps, if the
    /// kernel's warps work together, and with two blocks, if it is clean.
    fn sizes(&mut self) -> Result<Option<Resolved>, Cancelled> {
        let (grid, blocks) = (self.shown.grid(), self.shown.blocks());
        let several = self.shown.several_blocks();
        let wanted = (several, self.shown.cooperating(&blocks));
        let mut larger = None;
        for grid in if several == grid { vec![grid] } else { vec![grid, several] } {
            for &block in &blocks {
                if (Some(grid), Some(block)) == (self.shown.launch.grid, self.shown.launch.block) {
                    continue;
                }
                let trial = self.try_launch(&self.shown.sized(grid, block), None)?;
                if let Trial::Clean(mut resolved) = trial
                    && (grid, block) == wanted
                {
                    resolved.launch.assumed.clone_from(&self.shown.launch.assumed);
                    larger = Some(*resolved);
                }
            }
        }
        Ok(larger)
    }

    /// Integers that do not ascend: each thread gets the number of another.
    fn contents(&mut self) -> Result<(), Cancelled> {
        let others = self.shown.reordered();
        if others.is_empty() {
            return Ok(());
        }
        let all = self.try_launch(&self.shown.changed(&others), None)?;
        if matches!(all, Trial::Unsuitable) && others.len() > 1 {
            for other in others.chunks(1) {
                self.try_launch(&self.shown.changed(other), None)?;
            }
        }
        Ok(())
    }

    /// One more iteration, for numbers that may count them.
    fn iterations(&mut self) -> Result<(), Cancelled> {
        for (at, value) in self.shown.integers() {
            if (1..=MAX_ITERATIONS).contains(&value) && value != self.shown.threads() {
                let more = self.shown.number(at, value + 1);
                self.try_launch(&self.shown.changed(more.as_slice()), None)?;
            }
        }
        Ok(())
    }

    /// A length that is no multiple of a warp, and buffers that end where it does.
    fn lengths(&mut self) -> Result<(), Cancelled> {
        let threads = self.shown.threads();
        let mut lengths = self.shown.integers();
        lengths.retain(|(at, value)| *value == threads && self.shown.is_compared(*at));
        if lengths.is_empty() || threads < WARP {
            return Ok(());
        }
        let odd = threads - threads / 4 - 3;
        let ragged: Vec<_> = lengths.into_iter().filter_map(|(at, _)| self.shown.number(at, odd)).collect();
        self.try_launch(&self.shown.changed(&ragged), Some(FindingKind::UninitializedRead))?;
        let ones = self.shown.ones();
        let contents = if ones.is_empty() { vec![Vec::new()] } else { vec![Vec::new(), ones] };
        for contents in contents {
            let exact = self.exact_buffers(&contents)?;
            if !exact.is_empty() {
                let shorter = exact.iter().map(|(at, name, buffer)| shortened(*at, name, buffer, odd));
                let changes: Vec<_> = contents.into_iter().chain(ragged.clone()).chain(shorter).collect();
                self.try_launch(&self.shown.changed(&changes), Some(FindingKind::OutOfBounds))?;
            }
        }
        Ok(())
    }

    /// The buffers that need exactly one element per thread. A store one element past them is reported.
    fn exact_buffers(&mut self, contents: &[Change]) -> Result<Vec<(Place, String, Buffer)>, Cancelled> {
        let threads = self.shown.threads();
        let mut exact = Vec::new();
        for (at, name, buffer) in self.shown.buffers().into_iter().take(MAX_EXACT) {
            let with = |len| {
                let length = shortened(at, &name, &buffer, len);
                [contents, &[length]].concat()
            };
            let [shorter, fitting, longer] =
                [threads - 1, threads, threads + 1].map(|len| self.shown.changed(&with(len)));
            match self.reach(&fitting)? {
                Reach::Within if self.reach(&shorter)? == Reach::Beyond => exact.push((at, name, buffer)),
                Reach::Beyond if self.shown.is_only_stored(at) && self.reach(&longer)? == Reach::Within => {
                    self.try_launch(&fitting, Some(FindingKind::OutOfBounds))?;
                }
                _ => {}
            }
        }
        Ok(exact)
    }

    fn reach(&mut self, launch: &Launch) -> Result<Reach, Cancelled> {
        let Some((_, result)) = self.attempts.run(launch)? else { return Ok(Reach::Unclear) };
        let has = |wrong: &dyn Fn(FindingKind) -> bool| result.accusations().any(|found| wrong(found.kind));
        Ok(match () {
            () if has(&|kind| kind == FindingKind::OutOfBounds) => Reach::Beyond,
            () if has(&|kind| ABOUT_VALUES.contains(&kind)) => Reach::Unclear,
            () => Reach::Within,
        })
    }
}
