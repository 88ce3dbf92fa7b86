//! The inner loop: operations that all lanes of a wave go straight through, until one moves lanes.
//!
//! It is compiled for several instruction sets of the host, and the best that the processor has is chosen when it runs. What is
//! hot below it is inlined, whatever its size; a function that is not, is what the oldest processor would run.

use pulp::{NullaryFnOnce, Simd, WithSimd};

use crate::record::Recorder;
use crate::trace::{Mask, StatementId};

use super::alu;
use super::machine::{Stop, Surroundings, Wave};
use super::memory::{Memory, OutOfRange};
use super::program::{Action, Halves, Op};
use super::stage::Fault;
use super::state::{Place, State};
use super::watch::Moment;

/// A wave about to run, whatever the instruction set of the host.
pub(super) struct Running<'w, 's, const W: usize> {
    pub(super) wave: &'w mut Wave<W>,
    pub(super) around: &'w mut Surroundings<'s>,
}

impl<const W: usize> WithSimd for Running<'_, '_, W> {
    type Output = Result<Stop, Fault>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Result<Stop, Fault> {
        let Running { wave, around } = self;
        while wave.active != 0 {
            if *around.steps >= around.pause {
                return Ok(Stop::Paused);
            }
            wave.straight(simd, around)?;
            if wave.probe.as_ref().is_some_and(|probe| probe.is_done()) {
                return Ok(Stop::Looked);
            }
            match around.program.ops.get(wave.pc as usize) {
                None => wave.run_past_end(around),
                Some(op) if op.action.moves_lanes() => {
                    if let Some(stop) = wave.control(op, around)? {
                        return Ok(stop);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(Stop::Ended)
    }
}

impl<const W: usize> Wave<W> {
    /// Performs the operations at hand up to the next that moves lanes, to the end, or until the steps of the launch are used up.
    #[inline(always)]
    fn straight<S: Simd>(&mut self, simd: S, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let program = around.program;
        let place = &Place { geometry: around.geometry, workgroup: around.workgroup, wave: self.index };
        let room = around.limit.saturating_sub(*around.steps);
        let end = u64::from(self.pc).saturating_add(room).min(program.ops.len() as u64);
        let code = &program.ops[..end as usize];
        let (mask, first) = (self.active, self.pc);
        let mut pc = first;
        let mut visits = Visits { recorder: &mut self.recorder, mask, start: first };
        let mut refused = None;
        while let Some(op) = code.get(pc as usize).filter(|op| !op.action.moves_lanes()) {
            let executed = match op.guard {
                None => mask,
                Some(guard) => mask & self.state.holds(guard),
            };
            if executed != mask {
                visits.of_some(pc, executed);
            }
            if let Some((watch, group)) = &mut around.watch
                && let Some(watched) = &mut self.watched
            {
                let local = &*around.memory.local;
                let at = Moment { program, op, pc, place, active: mask, executed, state: &self.state, local };
                let news = watch.before(&at, group, watched);
                around.tell(news);
            }
            pc += 1;
            let done = match op.halves.checked_sub(1) {
                _ if executed == 0 => Ok(()),
                None => perform(simd, &op.action, &mut self.state, executed, place, &mut around.memory),
                Some(halves) => {
                    let halves = &program.halves[halves as usize];
                    with_halves(op, halves, &mut self.state, executed, place, &mut around.memory)
                }
            };
            if let Err(outside) = done {
                refused = Some(outside);
                break;
            }
            if let Some(probe) = &mut self.probe {
                probe.visited(&program.named, StatementId(pc - 1), (mask, executed), &self.state, None);
            }
        }
        visits.up_to(pc);
        *around.steps += u64::from(pc - first);
        self.pc = pc;
        match refused {
            None => Ok(()),
            Some(outside) => {
                self.pc -= 1;
                Err(self.out_of_range(around, &outside))
            }
        }
    }
}

/// Visits that are not recorded yet: of the operations from `start` on, each by all lanes that are active.
struct Visits<'w> {
    recorder: &'w mut Recorder,
    mask: Mask,
    start: u32,
}

impl Visits<'_> {
    /// Records the operations before `pc`.
    #[inline(always)]
    fn up_to(&mut self, pc: u32) {
        self.recorder.visit_run(self.start, pc, self.mask, self.mask);
        self.start = pc;
    }

    /// Records the operations before `pc`, and the one there, which only some lanes execute.
    #[inline(always)]
    fn of_some(&mut self, pc: u32, executed: Mask) {
        self.up_to(pc);
        self.recorder.visit_run(pc, pc + 1, self.mask, executed);
        self.start = pc + 1;
    }
}

/// What is compiled together.
mod kind {
    pub(super) const UNARY: u8 = 0;
    pub(super) const BINARY: u8 = 1;
    pub(super) const TERNARY: u8 = 2;
    pub(super) const COMPARE: u8 = 3;
    pub(super) const MEMORY: u8 = 4;
    /// No loop is hot with these.
    pub(super) const RARE: u8 = 5;
}

/// Performs an action in the lanes of `mask`.
#[inline(always)]
fn perform<S: Simd, const W: usize>(
    simd: S,
    action: &Action,
    state: &mut State<W>,
    mask: Mask,
    place: &Place,
    memory: &mut Memory<'_>,
) -> Result<(), Box<OutOfRange>> {
    macro_rules! apart {
        ($kind:ident) => {
            simd.vectorize(Apart::<{ kind::$kind }, W> { action, state, mask, place, memory })
        };
    }
    match action {
        Action::Unary { .. } => apart!(UNARY),
        Action::Binary { .. } => apart!(BINARY),
        Action::Ternary { .. } => apart!(TERNARY),
        Action::Compare { .. } => apart!(COMPARE),
        Action::Load { .. } | Action::Store { .. } => apart!(MEMORY),
        _ => apart!(RARE),
    }
}

/// An action of one kind, compiled for the instruction set of the loop but not into the loop: small functions are compiled
/// best.
struct Apart<'a, 'm, const KIND: u8, const W: usize> {
    action: &'a Action,
    state: &'a mut State<W>,
    mask: Mask,
    place: &'a Place,
    memory: &'a mut Memory<'m>,
}

impl<const KIND: u8, const W: usize> NullaryFnOnce for Apart<'_, '_, KIND, W> {
    type Output = Result<(), Box<OutOfRange>>;

    #[inline(always)]
    fn call(self) -> Result<(), Box<OutOfRange>> {
        let Apart { action, state, mask, place, memory } = self;
        let rows = &mut state.rows;
        match (KIND, action) {
            (kind::UNARY, &Action::Unary { op, d, a }) => alu::unary(rows, mask, op, d, a),
            (kind::BINARY, &Action::Binary { op, d, a, b }) => alu::binary(rows, mask, op, d, [a, b]),
            (kind::TERNARY, &Action::Ternary { op, d, a, b, c }) => {
                alu::ternary(rows, mask, op, d, [a, b, c]);
            }
            (kind::COMPARE, &Action::Compare { op, d, a, b }) => {
                let found = alu::compare(rows, op, a, b);
                state.set_predicate(d, mask, found);
            }
            (kind::MEMORY, &Action::Load { space, bytes, d, address }) => {
                return memory.load(rows, mask, space, bytes, (d, address));
            }
            (kind::MEMORY, &Action::Store { space, bytes, address, value }) => {
                return memory.store(rows, mask, space, bytes, (address, value));
            }
            (kind::RARE, action) => return state.compute(action, mask, *place, memory),
            // Each kind is given its own actions.
            _ => {}
        }
        Ok(())
    }
}

/// An operation on register halves: they are taken out into scratch rows first, and the result is put into its half.
#[cold]
fn with_halves<const W: usize>(
    op: &Op,
    halves: &Halves,
    state: &mut State<W>,
    mask: Mask,
    place: &Place,
    memory: &mut Memory<'_>,
) -> Result<(), Box<OutOfRange>> {
    for (scratch, register, shift) in &halves.reads {
        state.rows.map1(mask, *scratch, *register, |value| value >> shift & 0xffff);
    }
    state.compute(&op.action, mask, *place, memory)?;
    if let Some((from, to, shift)) = halves.write {
        let keep = !(0xffff << shift);
        state.rows.map2(mask, to, [to, from], |old, new| old & keep | (new & 0xffff) << shift);
    }
    Ok(())
}
