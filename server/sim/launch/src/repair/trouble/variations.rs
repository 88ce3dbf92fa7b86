//! Variations of the launch that is shown: other sizes, numbers and buffers.

use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::scalar_type::Class;

use super::super::arguments::{Place, all_places, filled, part_of, place, place_mut};
use super::super::guess::Guess;
use crate::body::Part;
use crate::model::{Argument, Buffer, Contents, Fill, Launch, Passed, size};

/// Larger blocks to try.
const LARGER_BLOCKS: usize = 2;
/// Threads of a warp.
pub(super) const WARP: u64 = 32;
/// Contents are varied only in launches with at most this many threads.
const MOST_THREADS: u64 = 256;

/// Another value of an argument.
#[derive(Clone)]
pub(super) struct Change {
    at: Place,
    passed: Passed,
    /// How the launch says it: `n = 21`.
    assumed: String,
}

/// The launch that is shown, and what it is inferred from.
pub(super) struct Shown<'g> {
    pub(super) launch: &'g Launch,
    pub(super) guess: &'g Guess,
}

impl Shown<'_> {
    pub(super) fn grid(&self) -> [u32; 3] {
        self.launch.grid.unwrap_or([1; 3])
    }

    pub(super) fn block(&self) -> [u32; 3] {
        self.launch.block.unwrap_or([1; 3])
    }

    /// The block of the shown launch, and larger ones of whole warps.
    pub(super) fn blocks(&self) -> Vec<[u32; 3]> {
        let Guess { kernel, body, .. } = self.guess;
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

    /// The block of two warps if the kernel's warps work together, of those in `blocks`.
    pub(super) fn cooperating(&self, blocks: &[[u32; 3]]) -> [u32; 3] {
        let is_one_warp = volume(self.block()) <= WARP;
        let larger = blocks.get(1).filter(|_| self.guess.body.has_warps && is_one_warp);
        larger.copied().unwrap_or(self.block())
    }

    /// Twice as many blocks in each direction whose number the kernel reads.
    pub(super) fn several_blocks(&self) -> [u32; 3] {
        let Guess { body, .. } = self.guess;
        let grid = self.grid();
        std::array::from_fn(|axis| grid[axis].saturating_mul(if body.block_axes[axis] { 2 } else { 1 }))
    }

    /// The shown launch with another size. Arguments that were chosen for the kernel stay, the others follow the number of threads.
    pub(super) fn sized(&self, grid: [u32; 3], block: [u32; 3]) -> Launch {
        let Guess { kernel, body, .. } = self.guess;
        let with = |grid, block| {
            let launch = Launch { grid, block, args: Vec::new(), ..self.launch.clone() };
            kernel.rules.with_arguments(launch, body)
        };
        let usual = with(self.launch.grid, self.launch.block);
        let mut launch = with(Some(grid), Some(block));
        for ((arg, usual), shown) in launch.args.iter_mut().zip(&usual.args).zip(&self.launch.args) {
            if shown.passed != usual.passed {
                *arg = shown.clone();
            }
        }
        let other = |what: &str, is: [u32; 3], was: Option<[u32; 3]>| {
            (Some(is) != was).then(|| format!("{what} {}", size(is)))
        };
        launch.assumed.retain(|assumed| !assumed.starts_with("block "));
        launch.assumed.extend(other("grid", grid, self.launch.grid));
        launch.assumed.extend(other("block", block, self.launch.block));
        launch
    }

    /// The ascending integers in another order: each thread gets the number of another.
    pub(super) fn reordered(&self) -> Vec<Change> {
        let threads = self.threads();
        let others = self.buffers().into_iter().filter_map(|(at, name, buffer)| {
            let passed = Passed::Buffer(descending(&buffer, threads)?);
            Some(Change { at, passed, assumed: format!("{name} in another order") })
        });
        others.collect()
    }

    /// The integer buffers filled with ones: text without an end, and indices that agree.
    pub(super) fn ones(&self) -> Vec<Change> {
        let integers =
            self.buffers().into_iter().filter(|(.., buffer)| buffer.element.class() != Class::Float);
        let ones = integers.filter_map(|(at, name, buffer)| {
            let passed = Passed::Buffer(filled(&buffer, Fill::Value(1))?);
            Some(Change { at, passed, assumed: format!("{name} = ones") })
        });
        ones.collect()
    }

    /// Another value of an integer.
    pub(super) fn number(&self, at: Place, number: u64) -> Option<Change> {
        let argument = place(self.launch.args.get(at.0)?, at.1)?;
        let Passed::Scalar(kind, _) = argument.passed else { return None };
        let assumed = format!("{} = {number}", argument.name());
        Some(Change { at, passed: Passed::Scalar(kind, number), assumed })
    }

    pub(super) fn changed(&self, changes: &[Change]) -> Launch {
        let mut launch = self.launch.clone();
        for Change { at: (argument, field), passed, assumed } in changes {
            if let Some(place) = launch.args.get_mut(*argument).and_then(|it| place_mut(it, *field)) {
                place.passed = passed.clone();
            }
            launch.assumed.push(assumed.clone());
        }
        launch
    }

    pub(super) fn threads(&self) -> u64 {
        volume(self.grid()).saturating_mul(volume(self.block()))
    }

    fn places(&self) -> impl Iterator<Item = (Place, &Argument)> {
        let argument = |at: Place| Some((at, place(&self.launch.args[at.0], at.1)?));
        all_places(self.launch).into_iter().filter_map(argument)
    }

    pub(super) fn buffers(&self) -> Vec<(Place, String, Buffer)> {
        let buffer = |(at, argument): (Place, &Argument)| match &argument.passed {
            Passed::Buffer(buffer) => Some((at, argument.name().to_owned(), buffer.clone())),
            _ => None,
        };
        self.places().filter_map(buffer).collect()
    }

    pub(super) fn integers(&self) -> Vec<(Place, u64)> {
        let integer = |(at, argument): (Place, &Argument)| match argument.passed {
            Passed::Scalar(kind, bits) if kind.class() != Class::Float => Some((at, bits)),
            _ => None,
        };
        self.places().filter_map(integer).collect()
    }

    fn part(&self, (argument, field): Place) -> Option<&Part> {
        part_of(&self.guess.body, self.launch, argument, field)
    }

    pub(super) fn is_compared(&self, at: Place) -> bool {
        self.part(at).is_some_and(|part| part.is_compared)
    }

    pub(super) fn is_only_stored(&self, at: Place) -> bool {
        self.part(at).and_then(|part| part.access).is_some_and(|access| !access.loaded)
    }
}

/// The buffer with `len` elements.
pub(super) fn shortened(at: Place, name: &str, buffer: &Buffer, len: u64) -> Change {
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
