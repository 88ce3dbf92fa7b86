//! The observation of a warp that may be waiting for other threads: its state at a backward branch, and a log of what it has
//! executed since.
//!
//! The warp is examined whenever its groups return to their earlier positions. If memory has not changed, and the state that
//! has changed does not decide what the warp executes ([`Dependence`]), the warp repeats the logged iterations until another
//! thread changes the memory that they read. The changed state may be a counter, local memory or anything else that a
//! waiting loop changes.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_cuda::memory::mbarrier_object::PHASE;
use warplens_sim_cuda::memory::polled::{MemoryRange, PolledMemory, PolledValue};
use warplens_sim_cuda::memory::region::{AccessMode, MemoryRegion};
use warplens_sim_cuda::memory::spaces::{AddressCheck, Spaces, addresses, read};
use warplens_sim_cuda::registers::{Registers, WIDTH, lanes};

use super::dependence::Dependence;
use super::poll_log::{Difference, Direction, LoggedRead, LoggedStep, LoggedWrite, Memory};
use super::snapshot::{Snapshot, WarpView};
use crate::engine::exec::context::ExecContext;
use crate::program::{Address, Callee, Function, Op, Program, Slot, Space};

#[derive(Debug)]
pub(crate) enum Verdict {
    /// It does not wait, or this is not known yet.
    Runs,
    /// It repeats the same iteration until this memory changes.
    Repeats(PolledMemory),
    /// It polls this memory, but may also stop by itself.
    Polls(PolledMemory),
}

#[derive(Clone, Debug)]
pub(crate) struct PollWindow {
    start: Snapshot,
    changes: u64,
    older_loads: u64,
    steps: Vec<LoggedStep>,
    reads: Vec<LoggedRead>,
    writes: FxHashSet<LoggedWrite>,
    reads_clock: bool,
    /// Whether the warp calls system functions, which change more than the log records.
    calls_system: bool,
    /// Whether the warp waits at barriers of its block or its cluster.
    has_barriers: bool,
    /// How often the groups have returned to their starting positions.
    matches: u32,
    /// The number of reads at the last comparison of reads.
    compared: usize,
    /// Whether the warp did something that waiting loops do not do.
    failed: bool,
    limit: usize,
}

impl PollWindow {
    pub(super) fn new(warp: &WarpView<'_>, limit: usize) -> PollWindow {
        PollWindow {
            start: Snapshot::of(warp),
            changes: warp.spaces.changes,
            older_loads: warp.spaces.older_loads,
            steps: Vec::new(),
            reads: Vec::new(),
            writes: FxHashSet::default(),
            reads_clock: false,
            calls_system: false,
            has_barriers: false,
            matches: 0,
            compared: 0,
            failed: false,
            limit,
        }
    }

    /// Bytes of host memory.
    pub(super) fn bytes(&self) -> u64 {
        let logs = size_of_val(self.steps.as_slice()) + size_of_val(self.reads.as_slice());
        self.start.bytes() + (logs + self.writes.len() * size_of::<LoggedWrite>()) as u64
    }

    pub(crate) fn fail(&mut self) {
        self.failed = true;
    }

    pub(crate) fn push(&mut self, step: LoggedStep) {
        self.failed |= self.steps.len() >= self.limit;
        if !self.failed {
            self.steps.push(step);
        }
    }

    pub(crate) fn visit(
        &mut self,
        (frame, number, function): (Slot, u32, &Function),
        pc: u32,
        (active, executed): (u32, u32),
        registers: &Registers,
        ctx: &ExecContext<'_>,
    ) {
        if self.failed {
            return;
        }
        let memory = self.memory(function, pc, executed, registers, ctx);
        self.push(LoggedStep::Instruction { frame, function: number, pc, active, executed, memory });
    }

    fn memory(
        &mut self,
        function: &Function,
        pc: u32,
        executed: u32,
        registers: &Registers,
        ctx: &ExecContext<'_>,
    ) -> Memory {
        if executed == 0 {
            return Memory::Nothing;
        }
        let op = function.code[pc as usize].op;
        self.note_effect(op, function);
        let Some(access) = accessed(op, function) else { return Memory::Nothing };
        let statement = function.first_statement + pc;
        let bits = if let Op::Mbarrier(_) = op { PHASE } else { u64::MAX };
        self.access((statement, bits), access, executed, registers, ctx)
    }

    /// Notes what an instruction does besides the logged accesses.
    fn note_effect(&mut self, op: Op, function: &Function) {
        match op {
            Op::Clock(_) => self.reads_clock = true,
            Op::Barrier(_) => self.has_barriers = true,
            Op::Call(id, _) => self.calls_system |= matches!(function.tables[id].callee, Callee::System(_)),
            Op::Copy(_)
            | Op::BulkCopy(_)
            | Op::Fill(_)
            | Op::StoreAsync(_)
            | Op::AtomicAsync(_)
            | Op::Multimem(_)
            | Op::MatrixAccess(_)
            | Op::FragmentAccess(_)
            | Op::Stack(_)
            | Op::Exit
            | Op::Trap
            | Op::Unsupported(_) => self.failed = true,
            _ => {}
        }
    }

    fn access(
        &mut self,
        (statement, bits): (u32, u64),
        (address, space, span, direction): (&Address, Space, u32, Direction),
        executed: u32,
        registers: &Registers,
        ctx: &ExecContext<'_>,
    ) -> Memory {
        let addresses = addresses(address, registers, ctx.bases);
        let reads = direction != Direction::Writes;
        let mode = if reads { AccessMode::Load } else { AccessMode::Store };
        let check = AddressCheck {
            space,
            addresses: &addresses,
            span: span.into(),
            unit: span.into(),
            mode,
            mask: executed,
        };
        let Some(checked) = ctx.spaces.locate(&check, ctx.local) else {
            self.failed = true;
            return Memory::Nothing;
        };
        let (mut local, mut any_local, mut any_common) = ([0; WIDTH], false, false);
        for lane in lanes(executed) {
            let Some(extent) = checked.of(lane) else { continue };
            let index = extent.index(addresses[lane]);
            if extent.region == MemoryRegion::Local {
                (local[lane], any_local) = (index as u32, true);
                continue;
            }
            any_common = true;
            if !extent.region.is_common() {
                continue;
            }
            if reads {
                self.read((statement, lane), (extent.region, index, span), bits, ctx.spaces);
            }
            if direction != Direction::Reads {
                let range = MemoryRange { region: extent.region, index, size: span };
                self.writes.insert(LoggedWrite { range, exchanges: direction == Direction::Exchanges });
            }
        }
        match (any_local, any_common) {
            (true, true) => {
                self.failed = true;
                Memory::Nothing
            }
            (true, false) => Memory::Local(Box::new(local), span),
            _ => Memory::Common,
        }
    }

    fn read(
        &mut self,
        (statement, lane): (u32, usize),
        (region, start, span): (MemoryRegion, usize, u32),
        mask: u64,
        spaces: &Spaces,
    ) {
        let step = self.steps.len() as u32;
        for offset in (0..span).step_by(8) {
            let (index, size) = (start + offset as usize, (span - offset).min(8).next_power_of_two());
            let value = read(spaces.bytes(region), index, size) & mask;
            let polled = PolledValue { region, index, size, mask, value };
            self.reads.push(LoggedRead { polled, step, statement, lane: lane as u32 });
        }
    }

    /// Examines the warp, whose running group took a backward branch. `None` ends the observation: the warp does not wait.
    pub(super) fn examine(&mut self, warp: &WarpView<'_>) -> Option<Verdict> {
        // What the warp saw is then not what memory holds.
        let saw_older = warp.spaces.older_loads != self.older_loads;
        if self.failed || saw_older {
            return None;
        }
        if !self.start.is_at(warp) {
            return Some(Verdict::Runs);
        }
        self.matches += 1;
        if self.reads.is_empty() && self.start.still_differs(warp) {
            // Without reads, only an identical state proves a wait.
            return Some(Verdict::Runs);
        }
        let difference = self.start.compare(warp);
        self.start.remember(&difference);
        let unchanged = warp.spaces.changes == self.changes;
        if unchanged && (difference.is_empty() || !self.reads.is_empty()) {
            let dependence = Dependence::new(warp.program, &self.steps);
            if difference.is_empty() || dependence.is_unaffected_by(&difference) {
                let polled = self.polled(&self.reads);
                return Some(match self.has_barriers {
                    true => Verdict::Polls(PolledMemory {
                        writes: Some(Vec::new()),
                        at_barriers: Some(self.changes),
                        ..polled
                    }),
                    false => Verdict::Repeats(polled),
                });
            }
        }
        if self.matches > 1
            && !self.has_barriers
            && self.matches.is_power_of_two()
            && let Some(polled) = self.polls(&difference, warp.program)
        {
            return Some(Verdict::Polls(polled));
        }
        if self.matches.is_power_of_two() {
            self.compared = self.reads.len();
        }
        Some(Verdict::Runs)
    }

    /// The memory that the warp polls. All reads since the last comparison must be of memory that was read before, and
    /// control flow must depend on some reads whose value is unchanged.
    fn polls(&self, difference: &Difference, program: &Program) -> Option<PolledMemory> {
        let (before, now) = self.reads.split_at(self.compared);
        let known: FxHashMap<_, u64> =
            before.iter().map(|read| (read.polled.location(), read.polled.value)).collect();
        let mut stable = Vec::new();
        for read in now {
            if *known.get(&read.polled.location())? == read.polled.value {
                stable.push(*read);
            }
        }
        let dependence = Dependence::new(program, &self.steps);
        (!stable.is_empty() && dependence.is_controlled_by(&stable)).then(|| {
            let polled = self.polled(&stable);
            PolledMemory { writes: self.lasting_writes(&polled, difference, &dependence), ..polled }
        })
    }

    /// The memory that each iteration changes, provided that the warp executes the same until the polled memory changes. An
    /// atomic operation that finds the same value with the same operands each time changes nothing.
    fn lasting_writes(
        &self,
        polled: &PolledMemory,
        difference: &Difference,
        dependence: &Dependence<'_>,
    ) -> Option<Vec<MemoryRange>> {
        let stable: FxHashMap<_, u64> =
            polled.values.iter().map(|polled| (polled.location(), polled.value)).collect();
        let (same, others): (Vec<LoggedRead>, Vec<LoggedRead>) =
            self.reads.iter().partition(|read| stable.contains_key(&read.polled.location()));
        let is_stable = same.iter().all(|read| stable[&read.polled.location()] == read.polled.value);
        if self.calls_system || !is_stable {
            return None;
        }
        let exchanges_differ = dependence.repeats_despite(difference, &others)?;
        let changes =
            |write: &&LoggedWrite| !write.exchanges || exchanges_differ || !stable.contains_key(&write.range);
        Some(self.writes.iter().filter(changes).map(|write| write.range).collect())
    }

    fn polled(&self, reads: &[LoggedRead]) -> PolledMemory {
        let mut values: Vec<PolledValue> = Vec::new();
        for read in reads {
            if !values.iter().any(|value| value.location() == read.polled.location()) {
                values.push(read.polled);
            }
        }
        let first = reads.first().map(|first| {
            let together = reads.iter().filter(|read| read.step == first.step);
            (first.statement, together.fold(0, |all, read| all | 1 << read.lane))
        });
        PolledMemory { first, values, reads_clock: self.reads_clock, ..PolledMemory::default() }
    }
}

/// The address, space and size of an access that is logged, and how it uses the memory.
fn accessed(op: Op, function: &Function) -> Option<(&Address, Space, u32, Direction)> {
    let tables = &function.tables;
    if let Op::Mbarrier(id) = op {
        let mbarrier = &tables[id];
        let waits = mbarrier.action.waits();
        let direction = if waits { Direction::Reads } else { Direction::Writes };
        return Some((&mbarrier.address, mbarrier.space, 8, direction));
    }
    let (address, space, span) = function.access(op)?;
    let direction = match op {
        Op::Load(_) => Direction::Reads,
        Op::Store(_) => Direction::Writes,
        _ => Direction::Exchanges,
    };
    Some((address, space, span, direction))
}
