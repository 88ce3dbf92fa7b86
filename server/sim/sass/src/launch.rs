//! The constant data of a launch, shared by all warps.

use std::ops::Deref;

use warplens_isa::ptx::CtaDemand;
use warplens_sim_cuda::grid::launch::{GridLaunch, MAX_THREADS, START_COST};
use warplens_sim_cuda::grid::residency::Residency;
use warplens_sim_cuda::registers::{LaneRow, PerLane, WIDTH};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::launch_config::{thread_of, volume};
use warplens_sim_warp::trace::{Control, RunOptions};

use super::program::{Constant, Program};
use super::target::Target;
use super::undefined::Key;
use super::undefined::suspects::suspects;

/// Bytes of shared memory if the listing does not state how much the kernel uses.
pub(crate) const UNKNOWN_SHARED: u32 = 48 << 10;
/// The minimum size of constant bank 0 in bytes: it contains the launch's constants.
const BANK_BYTES: u32 = 0x1000;

pub(crate) struct Launch<'p> {
    pub(crate) common: GridLaunch,
    pub(crate) barriers: bool,
    pub(crate) banks: Vec<(u8, Vec<u8>)>,
    /// The initial register file of a warp.
    pub(crate) rows: Vec<LaneRow<u32, WIDTH>>,
    pub(crate) program: &'p Program,
    /// The registers that may be read before they are written, if that is checked.
    pub(crate) suspects: Vec<Key>,
    /// For each warp, the positions of its threads in the block, by lane.
    pub(crate) threads: Vec<PerLane<[u32; 3]>>,
}

impl Deref for Launch<'_> {
    type Target = GridLaunch;

    fn deref(&self) -> &GridLaunch {
        &self.common
    }
}

impl<'p> Launch<'p> {
    pub(crate) fn new(
        program: &'p Program,
        config: &LaunchConfig,
        symbols: &[u64],
        barriers: bool,
        options: &RunOptions,
        control: &Control<'_>,
    ) -> Launch<'p> {
        let shared = shared_bytes(program, config.shared_memory);
        let banks = banks(program, config, symbols);
        let (cluster, statements) = (cluster(program, config), program.statements());
        let mut common = GridLaunch::new(config, cluster, shared, START_COST, statements, options, control);
        common.residency = residency(program, config);
        common.may_wait = program.may_wait_for_blocks();
        Launch {
            common,
            barriers,
            rows: rows(program, &banks, symbols),
            banks,
            suspects: if options.checks.uninitialized { suspects(program) } else { Vec::new() },
            threads: threads(config),
            program,
        }
    }
}

/// Assumes that a kernel uses no more registers than the listing names, and no shared memory if the listing states no size.
fn residency(program: &Program, config: &LaunchConfig) -> Option<Residency> {
    let shared = u64::from(program.shared_size.unwrap_or(0)) + u64::from(config.shared_memory);
    let demand =
        CtaDemand { threads: config.threads(), registers: Some(program.layout.general.into()), shared };
    let resident = warplens_isa::ptx::chip(program.target.0)?.residency(demand)?;
    Some(Residency {
        gpu: resident.gpu.name,
        multiprocessors: resident.gpu.multiprocessors,
        blocks_per_multiprocessor: resident.ctas_per_multiprocessor,
    })
}

/// For each warp, the positions of its threads in the block, by lane. A launch with more threads than a block
/// can have does not run.
fn threads(config: &LaunchConfig) -> Vec<PerLane<[u32; 3]>> {
    let warps = config.threads().min(MAX_THREADS).div_ceil(WIDTH as u64) as u32;
    let of_warp = |warp| std::array::from_fn(|lane| thread_of(warp, lane as u32, WIDTH as u32, config.block));
    (0..warps).map(of_warp).collect()
}

/// Blocks of a cluster in x, y, z.
pub(crate) fn cluster(program: &Program, config: &LaunchConfig) -> [u32; 3] {
    config.cluster.or(program.cluster).unwrap_or([1; 3])
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
    put_words(bank_mut(&mut banks, stack.0), stack.1, [program.stack_size]);
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

fn put_words<const N: usize>(bank: &mut Vec<u8>, at: u32, words: [u32; N]) {
    words.iter().zip(0..).for_each(|(word, index)| put(bank, at + 4 * index, &word.to_le_bytes()));
}

/// Constant bank 0, which depends on the launch.
fn bank_0(program: &Program, config: &LaunchConfig) -> Vec<u8> {
    let target: Target = program.target;
    let constants = target.launch_constants();
    let mut bank = vec![0; BANK_BYTES as usize];
    put_words(&mut bank, constants.block, config.block);
    put_words(&mut bank, constants.grid, config.grid);
    if let Some(at) = target.cluster_constants() {
        let cluster = cluster(program, config);
        let is_clustered = cluster != [1; 3] || program.cluster.is_some();
        let [_, y, z] = cluster.map(|extent| (1.0 / extent as f32).to_bits());
        put_words(&mut bank, at.is_clustered, [is_clustered.into()]);
        put_words(&mut bank, at.extents, cluster);
        put_words(&mut bank, at.reciprocals, [y, z]);
        put_words(
            &mut bank,
            at.clusters,
            std::array::from_fn::<_, 3, _>(|axis| config.grid[axis] / cluster[axis].max(1)),
        );
        put_words(&mut bank, at.blocks, [volume(cluster) as u32]);
    }
    for (at, word) in target.window_constants() {
        put_words(&mut bank, at, [word]);
    }
    if let Some(at) = target.dynamic_shared_constant() {
        put_words(&mut bank, at, [config.shared_memory]);
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
