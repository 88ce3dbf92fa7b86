//! Skips invalid accesses while a run looks for further faults, and follows the values that depend on them.

use pulp::Scalar;
use warplens_sim_cuda::fault::{ExecError, Fault};
use warplens_sim_cuda::further_faults::{UnknownWord, is_invalid_access};
use warplens_sim_cuda::memory::region::{AccessMode, Extent, MemoryRegion};
use warplens_sim_cuda::memory::spaces::{AddressCheck, addresses};
use warplens_sim_cuda::registers::{PerLane, WIDTH, filter_lanes, lanes};

use super::execute::execute;
use super::group_run::GroupRun;
use super::unknown_values::UnknownValues;
use crate::program::{Op, ReadKind, Space};

/// The memory that an instruction accesses in each lane.
struct Accessed {
    space: Space,
    addresses: PerLane<u64>,
    span: u64,
}

impl GroupRun<'_> {
    /// If the run looks for further faults: executes the faulting instruction at `pc` in the lanes whose address is valid.
    /// Returns the fault if the run cannot go on after it.
    pub(super) fn skip_access(&mut self, mut fault: Fault, pc: u32, executed: u32) -> Option<Fault> {
        if self.state.further.is_none() {
            return Some(fault);
        }
        let instruction = &self.function.code[pc as usize];
        let mut valid = executed;
        loop {
            let skipped = fault.lanes & valid;
            let is_matrix_load = self.is_matrix_load(pc);
            if skipped == 0
                || !is_invalid_access(fault.kind)
                || !(is_matrix_load || instruction.op.is_access())
            {
                return Some(fault);
            }
            // A matrix belongs to all lanes.
            valid &= if is_matrix_load { 0 } else { !skipped };
            self.state.report(fault.finding(self.id, self.function.first_statement + pc));
            if valid == 0 {
                break;
            }
            let registers = &mut self.frame.registers;
            let ctx = &mut self.ctx;
            let Err(error) = execute(Scalar::new(), instruction, self.function, registers, ctx, valid) else {
                break;
            };
            let ExecError::Fault(next) = *error else { break };
            fault = next;
        }
        self.mark_skipped(pc, executed & !valid);
        None
    }

    /// The results of skipped accesses are unknown, and so is the part of memory that they would have written.
    fn mark_skipped(&mut self, pc: u32, skipped: u32) {
        if self.function.code[pc as usize].op.load().is_none() {
            self.mark_stored(pc, skipped);
        }
        let unknown = self.frame.unknown.get_or_insert_with(|| Box::new(UnknownValues::new(self.function)));
        for &register in self.function.writes_of(pc) {
            unknown.set(register, skipped, skipped);
        }
    }

    /// Follows unknown values through an instruction that lanes are about to execute. Ends the search where one matters.
    #[inline(always)]
    pub(super) fn propagate_unknown(&mut self, pc: u32, executed: u32) {
        if self.state.further.is_some() {
            self.follow(pc, executed);
        }
    }

    #[cold]
    #[inline(never)]
    fn follow(&mut self, pc: u32, executed: u32) {
        let statement = self.function.first_statement + pc;
        self.ctx.spaces.is_silent =
            self.state.further.as_ref().is_some_and(|further| further.has_reported(statement));
        let Some(given) = self.unknown_sources(pc, executed) else { return self.state.end_search() };
        let op = self.function.code[pc as usize].op;
        let knows_memory = self.state.further.as_ref().is_none_or(|further| further.memory.is_empty());
        let results = match op {
            Op::Load(_) => given | self.unknown_lanes(pc, executed),
            Op::Store(_) => {
                self.mark_stored(pc, given);
                0
            }
            Op::Atomic(_) => {
                self.mark_stored(pc, given);
                self.unknown_lanes(pc, executed)
            }
            _ if self.is_matrix_load(pc) => {
                if knows_memory {
                    0
                } else {
                    executed
                }
            }
            _ if mixes_lanes(op) => {
                if given == 0 {
                    0
                } else {
                    executed
                }
            }
            _ if given == 0 && (knows_memory || !accesses_memory(op)) => 0,
            _ if op.is_control() || accesses_memory(op) => return self.state.end_search(),
            _ => given,
        };
        if results != 0 {
            self.frame.unknown.get_or_insert_with(|| Box::new(UnknownValues::new(self.function)));
        }
        let Some(unknown) = &mut self.frame.unknown else { return };
        for &register in self.function.writes_of(pc) {
            unknown.set(register, executed, results);
        }
        if let Op::Carry(carry) = op
            && carry.gives
        {
            unknown.carry = unknown.carry & !executed | results;
        }
    }

    /// The lanes with an unknown operand; `None` if one decides which lanes run or what they access.
    fn unknown_sources(&self, pc: u32, executed: u32) -> Option<u32> {
        let Some(unknown) = &self.frame.unknown else { return Some(0) };
        let mut given = 0;
        for read in self.function.flow.reads_of(pc) {
            let lanes = unknown.lanes_of(read.register);
            match read.part {
                ReadKind::Source | ReadKind::Stored => given |= lanes & executed,
                ReadKind::Guard if lanes & self.visits.mask != 0 => return None,
                ReadKind::Guard => {}
                ReadKind::Address | ReadKind::Choice | ReadKind::Members if lanes & executed != 0 => {
                    return None;
                }
                ReadKind::Address | ReadKind::Choice | ReadKind::Members => {}
            }
        }
        match self.function.code[pc as usize].op {
            Op::Carry(carry) if carry.takes => Some(given | unknown.carry & executed),
            _ => Some(given),
        }
    }

    fn is_matrix_load(&self, pc: u32) -> bool {
        let op = self.function.code[pc as usize].op;
        matches!(op, Op::MatrixAccess(_) | Op::FragmentAccess(_)) && !self.function.writes_of(pc).is_empty()
    }

    /// The lanes that read unknown words of memory.
    fn unknown_lanes(&self, pc: u32, executed: u32) -> u32 {
        let memory = self.state.further.as_ref().map(|further| &further.memory);
        let Some(memory) = memory.filter(|memory| !memory.is_empty()) else { return 0 };
        let Some(accessed) = self.accessed(pc) else { return 0 };
        filter_lanes(executed, |lane| self.words(&accessed, lane).iter().any(|word| memory.holds(word)))
    }

    /// Lanes store an unknown value, or have skipped a store.
    fn mark_stored(&mut self, pc: u32, mask: u32) {
        let Some(accessed) = self.accessed(pc).filter(|_| mask != 0) else { return };
        for lane in lanes(mask) {
            let words = self.words(&accessed, lane);
            if let Some(further) = &mut self.state.further {
                words.into_iter().for_each(|word| further.memory.insert(word));
            }
        }
    }

    fn accessed(&self, pc: u32) -> Option<Accessed> {
        let (address, space, span) = self.function.access(self.function.code[pc as usize].op)?;
        let addresses = addresses(address, &self.frame.registers, self.ctx.bases);
        Some(Accessed { space, addresses, span: span.into() })
    }

    /// The words of memory that a lane accesses. Bytes outside of every object belong to none.
    fn words(&self, accessed: &Accessed, lane: usize) -> Vec<UnknownWord> {
        let &Accessed { space, ref addresses, span } = accessed;
        let first = addresses[lane];
        let word = |offset: u64| {
            let address = first.wrapping_add(offset);
            Some(self.word(self.extent(space, address, lane)?, address, lane))
        };
        let is_inside = self.extent(space, first, lane).is_some_and(|extent| extent.holds(first, span));
        let step = if is_inside && first.is_multiple_of(4) { 4 } else { 1 };
        (0..span).step_by(step).filter_map(word).collect()
    }

    fn extent(&self, space: Space, address: u64, lane: usize) -> Option<Extent> {
        let check = AddressCheck {
            space,
            addresses: &[address; WIDTH],
            span: 1,
            unit: 1,
            mode: AccessMode::Load,
            mask: 1 << lane,
        };
        self.ctx.spaces.locate(&check, self.ctx.local)?.of(lane)
    }

    fn word(&self, extent: Extent, address: u64, lane: usize) -> UnknownWord {
        let (cta, cluster) = (self.id.cta, self.launch.cluster);
        let (owner, thread) = match extent.region {
            MemoryRegion::Shared => {
                (std::array::from_fn(|axis| cta[axis] / cluster[axis] * cluster[axis]), 0)
            }
            MemoryRegion::Local => (cta, self.id.warp * WIDTH as u32 + lane as u32),
            _ => ([0; 3], 0),
        };
        UnknownWord { region: extent.region, owner, thread, number: extent.index(address) as u64 / 4 }
    }
}

/// Whether a lane's result may depend on the operands of other lanes.
fn mixes_lanes(op: Op) -> bool {
    op.exchange().is_some() || matches!(op, Op::MatrixProduct(_) | Op::MatrixTranspose)
}

/// Whether the instruction accesses memory in a way that is not followed.
fn accesses_memory(op: Op) -> bool {
    matches!(
        op,
        Op::MatrixAccess(_)
            | Op::FragmentAccess(_)
            | Op::Copy(_)
            | Op::BulkCopy(_)
            | Op::Tensor(_)
            | Op::Fill(_)
            | Op::Mbarrier(_)
            | Op::StoreAsync(_)
            | Op::AtomicAsync(_)
            | Op::Multimem(_)
    )
}
