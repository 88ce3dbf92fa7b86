//! Looks for trouble: for findings that the inferred launch cannot have, because it has one warp or one block, because its
//! lengths are multiples of everything, or because its data ascends.
//!
//! Each launch that is tried differs from the shown one in what the kernel suggests, and a launch in which values or
//! addresses are wrong does not suit the kernel and tells nothing. What is found is information that names its launch: a
//! guess never accuses.

use rustc_hash::FxHashSet;
use warplens_sim_warp::Executable;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::scalar_type::Class;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, GuessedLaunch, RunOptions, RunResult, Severity, Status,
};

use super::arguments::{part_of, place, place_mut, places};
use super::attempts::Attempts;
use super::guess::{ABOUT_CODE, ABOUT_VALUES, Guess, is_clean};
use crate::body::Part;
use crate::model::{Argument, Buffer, Contents, Fill, Launch, Passed, size};
use crate::resolve::Resolved;

/// Maximum warp instructions of one launch that is tried, and of all together.
const STEPS: (u64, u64) = (50_000, 300_000);
/// Larger blocks to try.
const LARGER_BLOCKS: usize = 2;
/// Threads of a warp.
const WARP: u64 = 32;
/// The largest number that may count iterations.
const MOST_ITERATIONS: u64 = 16;
/// The largest number of threads for which other contents are written.
const MOST_THREADS: u64 = 256;

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
        let stopped = matches!(result.status, Status::Unsupported | Status::StepLimit);
        let accused = result.findings.iter().any(|finding| finding.severity == Severity::Error);
        if stopped || accused {
            return Ok(Trouble::default());
        }
        let mut probes = Probes {
            attempts: Attempts::new(self, program, options, control, STEPS),
            shown: &shown.launch,
            known: result.findings.iter().map(|finding| finding.kind).collect(),
            found: Trouble::default(),
        };
        probes.sizes()?;
        probes.contents()?;
        probes.iterations()?;
        probes.lengths()?;
        if probes.found.findings.is_empty() && is_clean(result) {
            probes.found.larger = probes.larger()?;
        }
        Ok(probes.found)
    }
}

struct Probes<'g> {
    attempts: Attempts<'g>,
    shown: &'g Launch,
    /// The kinds that are reported.
    known: FxHashSet<FindingKind>,
    found: Trouble,
}

/// Where a number or a buffer is in a launch: the argument and its field.
type Place = (usize, usize);

/// Another value of an argument.
#[derive(Clone)]
struct Change {
    at: Place,
    passed: Passed,
    /// How the launch says it: `n = 21`.
    assumed: String,
}

/// How far a kernel reaches in a buffer of some length.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Within,
    Beyond,
    /// The length makes other values wrong.
    Unclear,
}

impl Probes<'_> {
    /// Runs a launch and keeps its findings about how threads work together, and those of the kind `also`. Returns whether the
    /// launch suits the kernel.
    fn probe(&mut self, launch: &Launch, also: Option<FindingKind>) -> Result<bool, Cancelled> {
        let Some((resolved, result)) = self.attempts.run(launch)? else { return Ok(false) };
        let accusations = || result.findings.iter().filter(|found| found.severity != Severity::Information);
        // A launch that takes too long still shows what came before.
        let is_wrong = |kind: FindingKind| {
            Some(kind) != also && kind != FindingKind::StepLimit && ABOUT_VALUES.contains(&kind)
        };
        if accusations().any(|found| is_wrong(found.kind)) {
            return Ok(false);
        }
        let number = self.found.launches.len();
        let counts = |kind: FindingKind| kind != FindingKind::StepLimit && !ABOUT_CODE.contains(&kind);
        for finding in accusations().filter(|found| counts(found.kind)) {
            if self.known.insert(finding.kind) {
                let under = resolved.launch.assumed.join(", ");
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
        if self.found.findings.last().is_some_and(|last| last.guess == Some(GuessedLaunch::Tried(number))) {
            self.found.launches.push(resolved.launch);
        }
        Ok(true)
    }

    /// More warps, and more blocks if the kernel reads the number of its block.
    fn sizes(&mut self) -> Result<(), Cancelled> {
        let (grid, blocks) = (self.grid(), self.blocks());
        let several = self.several_blocks();
        for grid in if several == grid { vec![grid] } else { vec![grid, several] } {
            for &block in &blocks {
                if (Some(grid), Some(block)) != (self.shown.grid, self.shown.block) {
                    self.probe(&self.sized(grid, block), None)?;
                }
            }
        }
        Ok(())
    }

    /// The launch with two warps, if the kernel's warps work together, and with two blocks, if it reads the number of its block.
    /// `None` if it is not clean.
    fn larger(&mut self) -> Result<Option<Resolved>, Cancelled> {
        let blocks = self.blocks();
        let block = match blocks.get(1) {
            Some(&block) if self.attempts.guess.body.has_warps && volume(self.block()) <= WARP => block,
            _ => self.block(),
        };
        let grid = self.several_blocks();
        if (grid, block) == (self.grid(), self.block()) {
            return Ok(None);
        }
        let mut launch = self.sized(grid, block);
        launch.assumed.clone_from(&self.shown.assumed);
        let run = self.attempts.run(&launch)?;
        Ok(run.filter(|(_, result)| is_clean(result)).map(|(resolved, _)| resolved))
    }

    fn grid(&self) -> [u32; 3] {
        self.shown.grid.unwrap_or([1; 3])
    }

    fn block(&self) -> [u32; 3] {
        self.shown.block.unwrap_or([1; 3])
    }

    /// The block of the shown launch, and larger ones of whole warps.
    fn blocks(&self) -> Vec<[u32; 3]> {
        let Guess { kernel, body, .. } = self.attempts.guess;
        let block = self.block();
        let mut blocks = vec![block];
        if !kernel.rules.has_fixed_block() && !body.is_single {
            let mut larger = kernel.rules.possible_blocks(body);
            let is_row = |[_, y, z]: [u32; 3]| y == 1 && z == 1;
            larger.retain(|other| {
                volume(*other) > volume(block)
                    && volume(*other).is_multiple_of(WARP)
                    && (!body.has_rows || !is_row(*other))
            });
            larger.sort_by_key(|other| volume(*other));
            blocks.extend(larger.into_iter().take(LARGER_BLOCKS));
        }
        blocks
    }

    /// Twice as many blocks in each direction whose number the kernel reads.
    fn several_blocks(&self) -> [u32; 3] {
        let Guess { body, .. } = self.attempts.guess;
        let grid = self.grid();
        std::array::from_fn(|axis| grid[axis].saturating_mul(if body.block_axes[axis] { 2 } else { 1 }))
    }

    /// The shown launch with another size. Arguments that were chosen for the kernel stay, the others follow the number of threads.
    fn sized(&self, grid: [u32; 3], block: [u32; 3]) -> Launch {
        let Guess { kernel, body, .. } = self.attempts.guess;
        let with = |grid, block| {
            let launch = Launch { grid, block, args: Vec::new(), ..self.shown.clone() };
            kernel.rules.with_arguments(launch, body)
        };
        let usual = with(self.shown.grid, self.shown.block);
        let mut launch = with(Some(grid), Some(block));
        for ((arg, usual), shown) in launch.args.iter_mut().zip(&usual.args).zip(&self.shown.args) {
            if shown.passed != usual.passed {
                *arg = shown.clone();
            }
        }
        let other = |what: &str, is: [u32; 3], was: Option<[u32; 3]>| {
            (Some(is) != was).then(|| format!("{what} {}", size(is)))
        };
        launch.assumed.retain(|assumed| !assumed.starts_with("block "));
        launch.assumed.extend(other("grid", grid, self.shown.grid));
        launch.assumed.extend(other("block", block, self.shown.block));
        launch
    }

    /// Integers that do not ascend: each thread gets the number of another.
    fn contents(&mut self) -> Result<(), Cancelled> {
        let threads = self.threads();
        let others = self.buffers().into_iter().filter_map(|(at, name, buffer)| {
            let passed = Passed::Buffer(descending(&buffer, threads)?);
            Some(Change { at, passed, assumed: format!("{name} in another order") })
        });
        let others: Vec<_> = others.collect();
        if !others.is_empty() && !self.probe(&self.changed(&others), None)? && others.len() > 1 {
            for other in others.chunks(1) {
                self.probe(&self.changed(other), None)?;
            }
        }
        Ok(())
    }

    /// One more iteration, for numbers that may count them.
    fn iterations(&mut self) -> Result<(), Cancelled> {
        for (at, value) in self.integers() {
            if (1..=MOST_ITERATIONS).contains(&value) && value != self.threads() {
                self.probe(&self.changed(&[self.number(at, value + 1)]), None)?;
            }
        }
        Ok(())
    }

    /// A length that is no multiple of a warp, and buffers that end where it does.
    fn lengths(&mut self) -> Result<(), Cancelled> {
        let threads = self.threads();
        let mut lengths = self.integers();
        lengths.retain(|(at, value)| *value == threads && self.is_compared(*at));
        if lengths.is_empty() || threads < WARP {
            return Ok(());
        }
        let odd = threads - threads / 4 - 3;
        let ragged: Vec<_> = lengths.into_iter().map(|(at, _)| self.number(at, odd)).collect();
        self.probe(&self.changed(&ragged), Some(FindingKind::UninitializedRead))?;
        for contents in [Vec::new(), self.constant()] {
            let exact = self.exact_buffers(&contents)?;
            if !exact.is_empty() {
                let shorter = exact.iter().map(|(at, name, buffer)| shortened(*at, name, buffer, odd));
                let changes: Vec<_> = contents.into_iter().chain(ragged.clone()).chain(shorter).collect();
                self.probe(&self.changed(&changes), Some(FindingKind::OutOfBounds))?;
            }
        }
        Ok(())
    }

    /// The buffers that need exactly one element for each thread. A store to the element behind those is reported.
    fn exact_buffers(&mut self, contents: &[Change]) -> Result<Vec<(Place, String, Buffer)>, Cancelled> {
        let threads = self.threads();
        let mut exact = Vec::new();
        for (at, name, buffer) in self.buffers() {
            let with = |len| {
                let length = shortened(at, &name, &buffer, len);
                [contents, &[length]].concat()
            };
            let [shorter, fitting, longer] =
                [threads - 1, threads, threads + 1].map(|len| self.changed(&with(len)));
            match self.reach(&fitting)? {
                Reach::Within if self.reach(&shorter)? == Reach::Beyond => exact.push((at, name, buffer)),
                Reach::Beyond if self.is_only_stored(at) && self.reach(&longer)? == Reach::Within => {
                    self.probe(&fitting, Some(FindingKind::OutOfBounds))?;
                }
                _ => {}
            }
        }
        Ok(exact)
    }

    fn reach(&mut self, launch: &Launch) -> Result<Reach, Cancelled> {
        let Some((_, result)) = self.attempts.run(launch)? else { return Ok(Reach::Unclear) };
        let has = |wrong: &dyn Fn(FindingKind) -> bool| {
            let mut accusations = result.findings.iter().filter(|it| it.severity != Severity::Information);
            accusations.any(|finding| wrong(finding.kind))
        };
        Ok(match () {
            () if has(&|kind| kind == FindingKind::OutOfBounds) => Reach::Beyond,
            () if has(&|kind| ABOUT_VALUES.contains(&kind)) => Reach::Unclear,
            () => Reach::Within,
        })
    }

    /// The integer buffers filled with ones: text without an end, and indices that agree.
    fn constant(&self) -> Vec<Change> {
        let changes = self.buffers().into_iter().filter_map(|(at, name, buffer)| {
            let (Contents::Filled { len, fill: Fill::Iota }, false) =
                (&buffer.contents, buffer.element.class() == Class::Float)
            else {
                return None;
            };
            let contents = Contents::Filled { len: *len, fill: Fill::Value(1) };
            let passed = Passed::Buffer(Buffer { contents, ..buffer });
            Some(Change { at, passed, assumed: format!("{name} = ones") })
        });
        changes.collect()
    }

    fn number(&self, at: Place, number: u64) -> Change {
        let argument = self.places().find(|(place, _)| *place == at).map(|(_, argument)| argument);
        let name = argument.map(Argument::name).unwrap_or_default();
        let passed = match argument.map(|argument| &argument.passed) {
            Some(Passed::Scalar(kind, _)) => Passed::Scalar(*kind, number),
            _ => Passed::Bytes(Vec::new()),
        };
        Change { at, passed, assumed: format!("{name} = {number}") }
    }

    fn changed(&self, changes: &[Change]) -> Launch {
        let mut launch = self.shown.clone();
        for Change { at: (argument, field), passed, assumed } in changes {
            if let Some(place) = launch.args.get_mut(*argument).and_then(|it| place_mut(it, *field)) {
                place.passed = passed.clone();
            }
            launch.assumed.push(assumed.clone());
        }
        launch
    }

    fn threads(&self) -> u64 {
        volume(self.grid()).saturating_mul(volume(self.block()))
    }

    fn places(&self) -> impl Iterator<Item = (Place, &Argument)> {
        let fields = |(argument, it)| {
            (0..places(it)).filter_map(move |field| Some(((argument, field), place(it, field)?)))
        };
        self.shown.args.iter().enumerate().flat_map(fields)
    }

    fn buffers(&self) -> Vec<(Place, String, Buffer)> {
        let buffer = |(at, argument): (Place, &Argument)| match &argument.passed {
            Passed::Buffer(buffer) => Some((at, argument.name().to_owned(), buffer.clone())),
            _ => None,
        };
        self.places().filter_map(buffer).collect()
    }

    fn integers(&self) -> Vec<(Place, u64)> {
        let integer = |(at, argument): (Place, &Argument)| match argument.passed {
            Passed::Scalar(kind, bits) if kind.class() != Class::Float => Some((at, bits)),
            _ => None,
        };
        self.places().filter_map(integer).collect()
    }

    fn part(&self, (argument, field): Place) -> Option<&Part> {
        part_of(&self.attempts.guess.body, self.shown, argument, field)
    }

    fn is_compared(&self, at: Place) -> bool {
        self.part(at).is_some_and(|part| part.is_compared)
    }

    fn is_only_stored(&self, at: Place) -> bool {
        self.part(at).and_then(|part| part.access).is_some_and(|access| !access.loaded)
    }
}

/// The buffer with `len` elements.
fn shortened(at: Place, name: &str, buffer: &Buffer, len: u64) -> Change {
    let contents = match buffer.contents {
        Contents::Filled { fill, .. } => Contents::Filled { len, fill },
        ref other => other.clone(),
    };
    let passed = Passed::Buffer(Buffer { contents, ..buffer.clone() });
    Change { at, passed, assumed: format!("{name} of {len} elements") }
}

/// The numbers below `threads` from the last to the first, then the next ones in the same way. `None` for other buffers
/// than ascending integers.
fn descending(buffer: &Buffer, threads: u64) -> Option<Buffer> {
    let ascends = matches!(buffer.contents, Contents::Filled { fill: Fill::Iota, .. });
    if !ascends || buffer.element.class() == Class::Float || threads > MOST_THREADS {
        return None;
    }
    let value = |index: u64| buffer.element.iota(index / threads * threads + threads - 1 - index % threads);
    Some(Buffer { contents: Contents::Values((0..2 * threads).map(value).collect()), ..buffer.clone() })
}
