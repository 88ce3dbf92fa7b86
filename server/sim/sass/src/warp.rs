//! A warp: its registers, its divergence machine, its recorder, and the loop that runs it.

use pulp::{Simd, WithSimd};
use rustc_hash::FxHashSet;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_warp::reconvergences::ReconvergenceList;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::simd::vectorized;
use warplens_sim_warp::trace::WarpId;

use super::exec::{BlockPosition, WarpPosition};
use super::launch::Launch;
use super::machine::{Barriers, Machine, Tokens};
use super::pause::Pause;
use super::program::Program;
use super::registers::Registers;
use super::spin::SpinWatch;
use super::undefined::{UndefinedMemory, UndefinedValues};
use super::value_tracer::ValueTracer;
use super::written_registers::WrittenRegisters;

/// What all warps of a run share.
pub(crate) struct RunContext<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) spaces: &'a mut Spaces,
    pub(crate) state: &'a mut RunState,
    /// The locked words of shared memory.
    pub(crate) locks: &'a mut FxHashSet<u64>,
    pub(crate) undefined: &'a mut UndefinedMemory,
}

#[derive(Clone)]
pub(crate) struct Warp {
    pub(crate) id: WarpId,
    pub(crate) position: WarpPosition,
    pub(crate) live: u32,
    pub(super) machine: Machine,
    pub(super) registers: Registers,
    pub(super) local: Local,
    pub(super) recorder: Recorder,
    pub(super) listed: bool,
    pub(super) reconvergences: ReconvergenceList,
    pub(super) spin: SpinWatch,
    /// Whether it has read memory that others may write, since memory last changed.
    pub(super) reads: bool,
    pub(crate) stopped_at: u32,
    /// The lanes that have written each row, then each predicate; `None` if nothing needs them.
    pub(super) written: Option<Box<WrittenRegisters>>,
    pub(crate) tracer: Option<Box<ValueTracer>>,
    pub(super) undefined: UndefinedValues,
    /// The call depth of each lane, if return addresses are in registers.
    pub(super) calls: [u16; WIDTH],
    /// The count of the last reduction at a barrier, and its truth value.
    pub(super) reduced: (u32, bool),
}

/// A warp about to run, for any instruction set of the host.
struct Running<'w, 'r> {
    warp: &'w mut Warp,
    run: &'w mut RunContext<'r>,
}

impl WithSimd for Running<'_, '_> {
    type Output = Pause;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Pause {
        self.warp.run_groups(simd, self.run)
    }
}

impl Warp {
    /// `reused` is the recorder of a finished warp, whose visits are already counted.
    pub(crate) fn new(launch: &Launch<'_>, cta: [u32; 3], index: u32, reused: Option<Recorder>) -> Warp {
        let program = launch.program;
        let id = WarpId { cta, warp: index };
        let block = BlockPosition {
            grid: launch.grid,
            block: launch.block,
            cta,
            first_of_cluster: std::array::from_fn(|axis| cta[axis] - cta[axis] % launch.cluster[axis]),
            shared: launch.shared,
        };
        let position = WarpPosition { block, warp: index, threads: launch.threads[index as usize] };
        let live = position.launched();
        let listed = launch.lists(id);
        let tracer = launch.tracer(id);
        let keeps_written = launch.options.registers || tracer.is_some();
        let mut local = Local::default();
        local.grow(program.stack_size);
        Warp {
            id,
            live,
            machine: match launch.barriers {
                true => Machine::Barriers(Box::new(Barriers::new(live))),
                false => Machine::Tokens(Tokens::new(live)),
            },
            registers: Registers::new(launch.rows.clone()),
            local,
            recorder: launch.recorder(id, reused),
            listed,
            reconvergences: ReconvergenceList::with_budget(launch.listing.reconvergences),
            spin: SpinWatch::default(),
            reads: false,
            stopped_at: 0,
            written: keeps_written.then(|| Box::new(WrittenRegisters::new(launch.rows.len()))),
            tracer: tracer.map(|tracer| Box::new(ValueTracer(tracer))),
            undefined: UndefinedValues::new(&program.layout, &launch.suspects),
            calls: [0; WIDTH],
            reduced: (0, false),
            position,
        }
    }

    /// The lanes that have written each register.
    pub(super) fn written_before(&self, program: &Program) -> WrittenRegisters {
        let mut written = WrittenRegisters::new(self.registers.rows.len());
        for (statement, executed) in self.recorder.executed().into_iter().enumerate() {
            let operation = &program.code[statement];
            let is_whole = operation.uniform && !operation.op.is_collective() && executed != 0;
            let lanes = if is_whole { u32::MAX } else { executed as u32 };
            let named = program.named[statement].iter().filter(|named| named.written);
            named.for_each(|named| written.write(named.cell, lanes));
        }
        written
    }

    /// Runs until the block must decide what happens next.
    pub(crate) fn run(&mut self, run: &mut RunContext<'_>) -> Pause {
        vectorized(Running { warp: self, run })
    }

    #[inline(always)]
    fn run_groups<S: Simd>(&mut self, simd: S, run: &mut RunContext<'_>) -> Pause {
        loop {
            let Some(group) = self.machine.next() else {
                match self.live {
                    0 => return Pause::Ended,
                    _ if self.machine.release_nested() => continue,
                    _ => return self.waits_for_block(run),
                }
            };
            if self.machine.has_joined() {
                self.machine.record_joined(&mut self.reconvergences);
            }
            if let Some(pause) = self.interpret(simd, group, run) {
                return pause;
            }
        }
    }
}
