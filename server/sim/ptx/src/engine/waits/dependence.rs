//! Which logged instructions depend on a part of a warp's state.
//!
//! Dependence is propagated through registers and local memory, lane by lane, in the order of the log. The analysis
//! over-approximates where it cannot be exact.

use rustc_hash::FxHashMap;
use warplens_sim_cuda::registers::{PerLane, filter_lanes, lanes};

use super::poll_log::{Difference, LoggedRead, LoggedStep, Memory};
use crate::program::{Callee, Formal, Function, Op, Passing, Program, ReadKind, RegisterSlot, Slot};

const MAX_PASSES: u32 = 8;

pub(super) struct Dependence<'w> {
    program: &'w Program,
    steps: &'w [LoggedStep],
}

/// Dependent lanes of each register, of each word of local memory, and of the carry flag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Dependent {
    registers: FxHashMap<(Slot, RegisterSlot), u32>,
    local: FxHashMap<u32, u32>,
    carry: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    /// A branch or another instruction that controls what executes.
    control: bool,
    /// An address, or the guard of an access.
    address: bool,
    /// A value that is stored in memory that other threads read.
    stored: bool,
    exchanged: bool,
}

impl Reached {
    /// Whether the warp executes the same instructions on the same addresses.
    fn is_same_path(self) -> bool {
        !self.control && !self.address
    }
}

impl<'w> Dependence<'w> {
    pub(super) fn new(program: &'w Program, steps: &'w [LoggedStep]) -> Dependence<'w> {
        Dependence { program, steps }
    }

    /// Whether the warp would do the same for any values of this state.
    pub(super) fn is_unaffected_by(&self, difference: &Difference) -> bool {
        let reached = self.reached_by(difference, &[]);
        reached.is_some_and(|reached| reached.is_same_path() && !reached.stored && !reached.exchanged)
    }

    /// Whether the warp would execute the same instructions on the same memory for any values of this state and these reads.
    /// The stored values may differ; `Some` tells whether operands of its atomic operations differ, too.
    pub(super) fn repeats_despite(&self, difference: &Difference, reads: &[LoggedRead]) -> Option<bool> {
        let reached = self.reached_by(difference, reads)?;
        reached.is_same_path().then_some(reached.exchanged)
    }

    /// What values of this state and these reads reach in any number of iterations; `None` if unknown.
    fn reached_by(&self, difference: &Difference, reads: &[LoggedRead]) -> Option<Reached> {
        let mut dependent = Dependent { carry: difference.carry, ..Dependent::default() };
        dependent
            .registers
            .extend(difference.registers.iter().map(|&(frame, place, lanes)| ((frame, place), lanes)));
        dependent.local.extend(difference.local.iter().copied());
        for _ in 0..MAX_PASSES {
            let before = dependent.clone();
            let reached = self.pass(&mut dependent, reads, true);
            dependent.add(&before);
            if !reached.is_same_path() || dependent == before {
                return Some(reached);
            }
        }
        None
    }

    pub(super) fn is_controlled_by(&self, reads: &[LoggedRead]) -> bool {
        let mut dependent = Dependent::default();
        (0..2).any(|_| self.pass(&mut dependent, reads, false).control)
    }

    /// Propagates dependence over the log. With `changing`, values that differ each time, such as the clock, are dependent,
    /// and the pass stops at the first dependent instruction.
    fn pass(&self, dependent: &mut Dependent, reads: &[LoggedRead], changing: bool) -> Reached {
        let mut reached = Reached::default();
        let mut reads = reads.iter().peekable();
        for (index, step) in self.steps.iter().enumerate() {
            let mut read = 0;
            while let Some(next) = reads.next_if(|next| next.step as usize <= index) {
                read |= u32::from(next.step as usize == index) << next.lane;
            }
            match step {
                LoggedStep::Instruction { .. } => {
                    self.instruction(step, dependent, read, changing, &mut reached)
                }
                &LoggedStep::Transfer { returns, call: (function, call, callee), from, to, mask } => {
                    let call = &self.program.functions[function as usize].tables[call];
                    let callee = &self.program.functions[callee as usize];
                    let (sources, targets) = match returns {
                        true => (&callee.returns, &call.results),
                        false => (&call.arguments, &callee.params),
                    };
                    if !returns {
                        dependent.registers.retain(|(frame, _), _| *frame != to.0);
                    }
                    let passed = sources.iter().zip(targets);
                    passed.for_each(|(source, target)| dependent.pass((from, source), (to, target), mask));
                }
            }
            if changing && !reached.is_same_path() {
                break;
            }
        }
        reached
    }

    fn instruction(
        &self,
        step: &LoggedStep,
        dependent: &mut Dependent,
        read: u32,
        changing: bool,
        reached: &mut Reached,
    ) {
        let LoggedStep::Instruction { frame, function, pc, active, executed, memory } = step else { return };
        let (frame, pc, executed) = (*frame, *pc, *executed);
        let function = &self.program.functions[*function as usize];
        let instruction = &function.code[pc as usize];
        let (mut value, mut guard, mut address) = (0, 0, 0);
        for part in function.flow.reads_of(pc) {
            let lanes = dependent.of(frame, function.frame.registers[part.register as usize].place);
            match part.part {
                ReadKind::Guard => guard |= lanes & active,
                ReadKind::Address => address |= lanes & executed,
                ReadKind::Source | ReadKind::Stored | ReadKind::Choice | ReadKind::Members => {
                    value |= lanes & executed
                }
            }
        }
        let op = instruction.op;
        if op.is_control() {
            let callee = callee(function, op).map_or(0, |place| dependent.of(frame, place));
            reached.control |= guard | value | callee & executed != 0;
        }
        let accesses = !matches!(memory, Memory::Nothing) && op != Op::Sleep;
        reached.address |= accesses && (address | guard) != 0;
        match (op, memory) {
            (Op::Load(_), Memory::Local(at, span)) => value |= dependent.local(at, *span, executed),
            (Op::Store(_), Memory::Local(at, span)) => dependent.store(at, *span, executed, value | guard),
            (Op::Load(_), _) => value = read,
            (Op::Atomic(_) | Op::Mbarrier(_), _) => {
                reached.exchanged |= value != 0;
                value = read;
            }
            (Op::Store(_), _) => reached.stored |= value != 0,
            (Op::Clock(_), _) => value = if changing { executed } else { 0 },
            (Op::Carry(_), _) => {
                value |= dependent.carry & executed;
                dependent.carry = dependent.carry & !executed | value;
            }
            _ if exchanges(op) && value != 0 => value = executed,
            _ => {}
        }
        for &register in function.writes_of(pc) {
            let place = function.frame.registers[register as usize].place;
            let lanes = dependent.of(frame, place) & !executed | value & executed | guard;
            dependent.set(frame, place, lanes);
        }
    }
}

/// The register that holds the address of an indirect call's callee.
fn callee(function: &Function, op: Op) -> Option<RegisterSlot> {
    let Op::Call(id, _) = op else { return None };
    if let Callee::Indirect(place) = function.tables[id].callee { Some(place) } else { None }
}

/// Whether a lane's result depends on other lanes.
fn exchanges(op: Op) -> bool {
    op.exchange().is_some() || matches!(op, Op::MatrixProduct(_) | Op::MatrixTranspose)
}

impl Dependent {
    fn of(&self, frame: Slot, place: RegisterSlot) -> u32 {
        self.registers.get(&(frame, place)).copied().unwrap_or(0)
    }

    fn set(&mut self, frame: Slot, place: RegisterSlot, lanes: u32) {
        match lanes {
            0 => self.registers.remove(&(frame, place)),
            _ => self.registers.insert((frame, place), lanes),
        };
    }

    fn add(&mut self, other: &Dependent) {
        other.registers.iter().for_each(|(key, lanes)| *self.registers.entry(*key).or_default() |= lanes);
        other.local.iter().for_each(|(word, lanes)| *self.local.entry(*word).or_default() |= lanes);
        self.carry |= other.carry;
    }

    fn local(&self, at: &PerLane<u32>, span: u32, mask: u32) -> u32 {
        if self.local.is_empty() {
            return 0;
        }
        let is_dependent = |lane: usize| {
            let mut words = at[lane] / 4..(at[lane] + span).div_ceil(4);
            words.any(|word| self.local.get(&word).is_some_and(|lanes| lanes >> lane & 1 == 1))
        };
        filter_lanes(mask, is_dependent)
    }

    fn store(&mut self, at: &PerLane<u32>, span: u32, mask: u32, dependent: u32) {
        for lane in lanes(mask) {
            for word in at[lane] / 4..(at[lane] + span).div_ceil(4) {
                let bit = 1u32 << lane;
                if dependent & bit != 0 {
                    *self.local.entry(word).or_default() |= bit;
                } else if span >= 4
                    && let Some(lanes) = self.local.get_mut(&word)
                {
                    *lanes &= !bit;
                }
            }
        }
        self.local.retain(|_, lanes| *lanes != 0);
    }

    /// Passes an argument or a result from one frame to another.
    fn pass(
        &mut self,
        (from, source): ((Slot, u32), &Formal),
        (to, target): ((Slot, u32), &Formal),
        mask: u32,
    ) {
        let words =
            |base: u32, offset: u32, size: u32| (base + offset) / 4..(base + offset + size).div_ceil(4);
        let dependent = match source.at {
            Passing::Register(place) => self.of(from.0, place),
            Passing::Local(offset) => words(from.1, offset, source.size)
                .fold(0, |all, word| all | self.local.get(&word).copied().unwrap_or(0)),
            Passing::Nowhere => 0,
        } & mask;
        match target.at {
            Passing::Register(place) => {
                let lanes = self.of(to.0, place) & !mask | dependent;
                self.set(to.0, place, lanes);
            }
            Passing::Local(offset) => {
                for word in words(to.1, offset, source.size.min(target.size)) {
                    let lanes = self.local.entry(word).or_default();
                    *lanes = *lanes & !mask | dependent;
                }
                self.local.retain(|_, lanes| *lanes != 0);
            }
            Passing::Nowhere => {}
        }
    }
}
