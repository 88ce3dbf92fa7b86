//! Repairs an inferred launch: runs it in other sizes and with other arguments, and keeps the first launch without
//! findings.
//!
//! An inferred launch is a guess, so a finding may be due to the guess and not to the kernel. A finding that
//! occurs in every attempt does not depend on what was varied. All limits are step counts, so every machine makes the
//! same choice.

mod arguments;
mod attempts;
mod guess;
mod trim;
mod trouble;

use rustc_hash::FxHashSet;
use warplens_sim_warp::Executable;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, GuessedLaunch, RunOptions, RunResult, Severity, StatementId, Status,
};

use self::attempts::Attempts;
use self::guess::{ABOUT_CODE, ABOUT_ORDER, ABOUT_SIZE, ABOUT_VALUES};
pub use self::guess::{Guess, is_clean};
pub use self::trouble::Trouble;
use super::model::{Launch, size};
use super::resolve::Resolved;

/// Maximum warp instructions of one attempt, and of all together.
const STEPS: (u64, u64) = (400_000, 4_000_000);

/// The line added to a finding that depends on an inferred launch.
const INFERRED_ARGUMENTS: &str = "with inferred arguments: write a launch to check it";

const RACE: FindingKind = FindingKind::DataRace;

/// The result of a repair.
#[derive(Debug, Clone, Default)]
pub struct Repair {
    /// The launch to run instead, if a better one was found.
    pub resolved: Option<Resolved>,
    /// The kinds of the warnings and errors that occur in every attempt.
    certain: FxHashSet<FindingKind>,
    /// Whether the kernel may be written for a single thread; its races then depend on the block.
    is_single: bool,
    /// The size, if it is a guess.
    size: Option<String>,
}

impl Guess {
    /// Searches for a launch without findings, given that `first` had the result `found`.
    ///
    /// # Errors If `control` cancels the search.
    pub fn repair(
        &self,
        first: &Resolved,
        found: &RunResult,
        program: &dyn Executable,
        options: &RunOptions,
        control: Control<'_>,
    ) -> Result<Repair, Cancelled> {
        let is_single = self.body.is_single && !self.has_size;
        let original = first.launch.clone();
        let guessed_size = |launch: &Launch| (!self.has_size).then(|| size_of(launch));
        let first = Attempt::new(first.clone(), found);
        if first.is_clean() || found.status == Status::Unsupported {
            let size = guessed_size(&original);
            return Ok(Repair { resolved: None, certain: first.kinds().collect(), is_single, size });
        }
        let mut search = Search {
            attempts: Attempts::new(self, program, options, control, STEPS),
            certain: first.kinds().collect(),
            best: first,
            is_repaired: false,
            adopts: true,
            varies_arguments: false,
        };
        let ends = found.status != Status::StepLimit;
        search.sizes(if ends { Sizes::Larger } else { Sizes::Smaller }, &original)?;
        // With other arguments, fewer threads may do work or they may store equal values, which hides a race. So other
        // arguments replace the launch only if it has findings about values. Otherwise they only show whether findings
        // other than races depend on the arguments.
        search.adopts = ABOUT_VALUES.iter().any(|kind| search.best.has(*kind));
        search.varies_arguments = true;
        if search.adopts || search.best.kinds().any(|kind| kind != RACE) {
            search.arguments()?;
        }
        if search.adopts && search.best.end == End::Fault {
            search.varies_arguments = false;
            search.sizes(Sizes::Smaller, &original)?;
        }
        let Search { best, certain, is_repaired, .. } = search;
        let size = guessed_size(&best.resolved.launch);
        Ok(Repair { resolved: is_repaired.then_some(best.resolved), certain, is_single, size })
    }
}

/// The size of a launch, as a finding names it.
fn size_of(launch: &Launch) -> String {
    let of = |extent: Option<[u32; 3]>| size(extent.unwrap_or([1; 3]));
    format!("block {} and grid {}", of(launch.block), of(launch.grid))
}

impl Repair {
    /// Turns findings that depend on the guess into information, one of each kind. Those that occur in every attempt and may be due to
    /// the size become warnings.
    pub fn demote(&self, findings: &mut Vec<Finding>) {
        let mut demoted = FxHashSet::default();
        findings.retain_mut(|finding| {
            let is_about_code = ABOUT_CODE.contains(&finding.kind);
            if finding.severity == Severity::Information || is_about_code {
                return true;
            }
            if self.is_certain(finding) {
                if let Some(size) = self.size.as_ref().filter(|_| ABOUT_SIZE.contains(&finding.kind)) {
                    finding.severity = Severity::Warning;
                    finding.message = format!(
                        "{}\nwith the inferred {size}; if the kernel is written for another size, write a launch to check it",
                        finding.message
                    );
                    finding.guess = Some(GuessedLaunch::Shown);
                }
                return true;
            }
            finding.severity = Severity::Information;
            finding.message = format!("{}\n{INFERRED_ARGUMENTS}", finding.message);
            finding.guess = Some(GuessedLaunch::Shown);
            demoted.insert(finding.kind)
        });
    }

    fn is_certain(&self, finding: &Finding) -> bool {
        let depends = match finding.kind {
            RACE => self.is_single || finding.has_computed_address,
            kind => ABOUT_VALUES.contains(&kind),
        };
        !depends && self.certain.contains(&finding.kind)
    }
}

/// How a run ended, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// At the end of the kernel.
    Finished,
    /// At an unsupported instruction.
    Unsupported,
    /// At a fault, a deadlock or a limit.
    Fault,
}

impl End {
    fn of(status: Status) -> End {
        match status {
            Status::Finished => End::Finished,
            Status::Unsupported => End::Unsupported,
            _ => End::Fault,
        }
    }
}

/// Which blocks to try, compared with the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Larger,
    Smaller,
}

/// A launch that was run.
#[derive(Debug)]
struct Attempt {
    resolved: Resolved,
    end: End,
    /// The kind and the statement of each warning and error.
    accusations: FxHashSet<(FindingKind, Option<StatementId>)>,
}

impl Attempt {
    fn new(resolved: Resolved, result: &RunResult) -> Attempt {
        Attempt {
            resolved,
            end: End::of(result.status),
            accusations: result.accusations().map(|finding| (finding.kind, finding.statement)).collect(),
        }
    }

    fn is_clean(&self) -> bool {
        self.end == End::Finished && self.accusations.is_empty()
    }

    /// Orders attempts, best first. Findings about values and addresses count most: without any, the launch suits the
    /// kernel, and a race or a missed barrier is the kernel's own fault.
    fn rank(&self) -> (usize, End, usize) {
        let about_values = self.kinds().filter(|kind| ABOUT_VALUES.contains(kind)).count();
        (about_values, self.end, self.accusations.len())
    }

    fn kinds(&self) -> impl Iterator<Item = FindingKind> {
        self.accusations.iter().map(|(kind, _)| *kind)
    }

    fn has(&self, kind: FindingKind) -> bool {
        self.kinds().any(|found| found == kind)
    }
}

/// The search for a launch without findings.
struct Search<'g> {
    attempts: Attempts<'g>,
    /// The kinds that every attempt had.
    certain: FxHashSet<FindingKind>,
    best: Attempt,
    /// Whether the best attempt is not the first one.
    is_repaired: bool,
    /// Whether a better attempt replaces the best one so far.
    adopts: bool,
    /// Whether attempts vary the arguments, which does not show whether races depend on them.
    varies_arguments: bool,
}

impl Search<'_> {
    /// Runs a launch; returns whether it has no findings.
    fn attempt(&mut self, mut launch: Launch, assumed: String) -> Result<bool, Cancelled> {
        if self.best.is_clean() {
            return Ok(true);
        }
        launch.assumed.push(assumed);
        let Some((resolved, result)) = self.attempts.run(&launch)? else { return Ok(false) };
        let attempt = Attempt::new(resolved, &result);
        // A launch of another size that faults before a race would occur shows that the race depends on the size.
        let ends = attempt.end == End::Finished;
        let faults = result.status == Status::Faulted;
        let stays = |kind: FindingKind| match kind {
            RACE if self.varies_arguments => true,
            kind if ABOUT_ORDER.contains(&kind) => !ends && !faults,
            _ => !ends,
        };
        self.certain.retain(|kind| attempt.has(*kind) || stays(*kind));
        if self.adopts && attempt.rank() < self.best.rank() {
            self.best = attempt;
            self.is_repaired = true;
        }
        Ok(self.best.is_clean())
    }

    /// Tries larger blocks in ascending order or smaller ones in descending order. A smaller block would hide a race
    /// between warps, so smaller blocks are tried only if values or addresses stop the launch.
    fn sizes(&mut self, sizes: Sizes, first: &Launch) -> Result<(), Cancelled> {
        let threads = volume(first.block.unwrap_or([1; 3]));
        let Guess { kernel, body, has_size, .. } = self.attempts.guess;
        if *has_size {
            return Ok(());
        }
        let mut blocks = kernel.rules.possible_blocks(body);
        let is_smaller = sizes == Sizes::Smaller;
        blocks.retain(|block| (volume(*block) < threads) == is_smaller && Some(*block) != first.block);
        blocks.sort_by_key(|block| volume(*block).abs_diff(threads));
        for block in blocks {
            let launch = Launch { block: Some(block), args: Vec::new(), ..first.clone() };
            let launch = kernel.rules.with_arguments(launch, body);
            if self.attempt(launch, format!("block {}", size(block)))? {
                break;
            }
        }
        Ok(())
    }
}
