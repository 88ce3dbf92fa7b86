//! The constant data of a launch, shared by all warps.

use pulp::Arch;
use warplens_sim_cuda::listed_warps::Listing;
use warplens_sim_cuda::registers::{LaneRow, Lanes, WIDTH};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::launch_config::{position, thread_of, volume};
use warplens_sim_warp::step_stream::WarpSteps;
use warplens_sim_warp::trace::{RunOptions, WarpId};

use super::program::{Constant, Program};
use super::target::Target;
use super::undefined::Key;
use super::undefined::suspects::suspects;

/// Bytes of shared memory if the listing does not state how much the kernel uses.
pub(crate) const UNKNOWN_SHARED: u32 = 48 << 10;
/// The maximum number of threads in a block.
pub(crate) const MAX_THREADS: u64 = 1024;
/// The minimum size of constant bank 0 in bytes: it contains the launch's constants.
const BANK_BYTES: u32 = 0x1000;

pub(crate) struct Launch<'p> {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) options: RunOptions,
    pub(crate) arch: Arch,
    pub(crate) listing: Listing,
    pub(crate) barriers: bool,
    /// Shared memory of a block in bytes, including what the system reserves.
    pub(crate) shared: u32,
    pub(crate) banks: Vec<(u8, Vec<u8>)>,
    /// The initial register file of a warp.
    pub(crate) rows: Vec<LaneRow<u32, WIDTH>>,
    pub(crate) program: &'p Program,
    /// The registers that may be read before they are written, if that is checked.
    pub(crate) suspects: Vec<Key>,
    /// For each warp, the positions of its threads in the block, by lane.
    pub(crate) threads: Vec<Lanes<[u32; 3]>>,
    /// The warp whose steps the caller receives.
    pub(crate) steps: Option<WarpSteps>,
}

impl<'p> Launch<'p> {
    pub(crate) fn new(
        program: &'p Program,
        config: &LaunchConfig,
        symbols: &[u64],
        barriers: bool,
        options: &RunOptions,
    ) -> Launch<'p> {
        let shared = shared_bytes(program, config.shared_memory);
        let banks = banks(program, config, symbols);
        let warps = config.blocks().saturating_mul(config.threads().div_ceil(WIDTH as u64));
        Launch {
            grid: config.grid,
            block: config.block,
            options: *options,
            arch: Arch::new(),
            listing: Listing::new(&options.limits, program.statements(), warps),
            barriers,
            shared,
            rows: rows(program, &banks, symbols),
            banks,
            suspects: if options.checks.uninitialized { suspects(program) } else { Vec::new() },
            threads: threads(config),
            program,
            steps: None,
        }
    }

    pub(crate) fn warps(&self) -> u32 {
        volume(self.block).div_ceil(WIDTH as u64) as u32
    }

    pub(crate) fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    /// The coordinates of a block number; x varies fastest.
    pub(crate) fn cta(&self, number: u64) -> [u32; 3] {
        position(number, self.grid)
    }

    pub(crate) fn number(&self, cta: [u32; 3]) -> u64 {
        let [x, y, z] = cta.map(u64::from);
        let [columns, rows, _] = self.grid.map(u64::from);
        (z * rows + y) * columns + x
    }

    /// Whether the trace of a warp is recorded.
    pub(crate) fn lists(&self, id: WarpId) -> bool {
        self.options.lists(id, self.is_within_limits(id))
    }

    /// Whether a warp is within the limits of the listed warps.
    pub(crate) fn is_within_limits(&self, id: WarpId) -> bool {
        self.listing.holds(self.number(id.cta) * u64::from(self.warps()) + u64::from(id.warp))
    }
}

/// For each warp, the positions of its threads in the block, by lane. A launch with more threads than a block
/// can have does not run.
fn threads(config: &LaunchConfig) -> Vec<Lanes<[u32; 3]>> {
    let warps = config.threads().min(MAX_THREADS).div_ceil(WIDTH as u64) as u32;
    let of_warp = |warp| std::array::from_fn(|lane| thread_of(warp, lane as u32, WIDTH as u32, config.block));
    (0..warps).map(of_warp).collect()
}

/// Shared memory of a block in bytes: reserved by the system, declared by the kernel, added by the launch.
pub(crate) fn shared_bytes(program: &Program, dynamic: u32) -> u32 {
    let fixed = program.shared_size.unwrap_or(UNKNOWN_SHARED);
    program.target.shared_start().saturating_add(fixed.next_multiple_of(16)).saturating_add(dynamic)
}

/// The constant banks of a launch. `symbols` are the addresses of device variables.
fn banks(program: &Program, config: &LaunchConfig, symbols: &[u64]) -> Vec<(u8, Vec<u8>)> {
    let mut banks = vec![(0, bank_0(program, config))];
    let stack = program.target.launch_constants().stack;
    for (number, bytes) in &program.banks {
        banks.push((*number, bytes.clone()));
    }
    for &(bank, offset, symbol, addend) in &program.symbol_words {
        let address = symbols.get(symbol as usize).copied().unwrap_or(0).wrapping_add(addend);
        put(bank_mut(&mut banks, bank), offset, &address.to_le_bytes());
    }
    put(bank_mut(&mut banks, stack.0), stack.1, &program.stack_size.to_le_bytes());
    banks
}

fn bank_mut(banks: &mut Vec<(u8, Vec<u8>)>, number: u8) -> &mut Vec<u8> {
    let at = banks.iter().position(|(bank, _)| *bank == number).unwrap_or_else(|| {
        banks.push((number, Vec::new()));
        banks.len() - 1
    });
    &mut banks[at].1
}

/// Writes bytes to a bank, extending it if necessary.
fn put(bank: &mut Vec<u8>, at: u32, bytes: &[u8]) {
    let at = at as usize;
    bank.resize(bank.len().max(at + bytes.len()), 0);
    bank[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Constant bank 0, which depends on the launch.
fn bank_0(program: &Program, config: &LaunchConfig) -> Vec<u8> {
    let target: Target = program.target;
    let constants = target.launch_constants();
    let mut bank = vec![0; BANK_BYTES as usize];
    for (axis, (block, grid)) in config.block.into_iter().zip(config.grid).enumerate() {
        put(&mut bank, constants.block + 4 * axis as u32, &block.to_le_bytes());
        put(&mut bank, constants.grid + 4 * axis as u32, &grid.to_le_bytes());
    }
    for (at, word) in target.window_constants() {
        put(&mut bank, at, &word.to_le_bytes());
    }
    if let Some(at) = target.dynamic_shared_constant() {
        put(&mut bank, at, &config.shared_memory.to_le_bytes());
    }
    put(&mut bank, constants.params, &config.params);
    bank
}

/// The initial register file: zeros and constants.
fn rows(program: &Program, banks: &[(u8, Vec<u8>)], symbols: &[u64]) -> Vec<LaneRow<u32, WIDTH>> {
    let mut rows = vec![LaneRow::all(0); usize::from(program.layout.rows)];
    for &(row, constant) in &program.layout.constants {
        let value = match constant {
            Constant::Immediate(value) => value,
            Constant::Symbol { variable, addend, high } => {
                let address =
                    symbols.get(variable as usize).copied().unwrap_or(0).wrapping_add_signed(addend);
                if high { (address >> 32) as u32 } else { address as u32 }
            }
            Constant::InBank(number, offset) => {
                let bank = banks.iter().find(|(bank, _)| *bank == number);
                let word = bank.and_then(|(_, bytes)| bytes.get(offset as usize..offset as usize + 4));
                word.map_or(0, |word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
            }
        };
        rows[usize::from(row)] = LaneRow::all(value);
    }
    rows
}
