//! Collective instructions: the lanes that a group must wait for, and the execution of a collective by groups at different
//! instructions.

use super::interpreter_loop::note;
use super::operand::{get, put};
use super::warp::Warp;
use super::warp_collectives;
use crate::ptx::engine::divergence::group::{CollectiveKind, Group, LanePosition};
use crate::ptx::engine::launch::Launch;
use crate::ptx::engine::run_state::RunState;
use crate::ptx::program::{Exchange, Function, Instruction, Op, RegisterSlot, Slot};
use crate::ptx::registers::{Registers, lanes};
use crate::trace::StatementId;

impl Warp {
    /// Whether the group's next instruction must wait for lanes that are elsewhere; if so, the group waits.
    pub(crate) fn waits_for_convergence(&mut self, group: Group, launch: &Launch<'_>) -> bool {
        let missing = self.function(launch, group.frame).and_then(|function| self.missing(group, function));
        let Some((lanes, what)) = missing else { return false };
        self.groups.wait_for(lanes, what);
        true
    }

    /// The participants of the group's next instruction, if any of them are elsewhere.
    fn missing(&self, group: Group, function: &Function) -> Option<(u32, CollectiveKind)> {
        let frame = self.frames[group.frame as usize].as_ref()?;
        let instruction = function.code.get(group.pc as usize)?;
        let executed = instruction.guard.of(&frame.registers.predicates, group.mask);
        let named = |slot: Slot| {
            let members = frame.registers.get::<u32>(slot);
            lanes(executed).fold(0, |all, lane| all | members[lane])
        };
        let (members, what) = match instruction.op {
            Op::WarpSync => (named(instruction.s.a), CollectiveKind::Sync),
            Op::Barrier => (self.live, CollectiveKind::Arrive),
            _ => match exchange_of(instruction, function) {
                Some(exchange) => (named(exchange.members?), CollectiveKind::Exchange(exchange.kind)),
                None => (self.live, CollectiveKind::Here),
            },
        };
        let elsewhere = members & self.live & !group.mask;
        (executed != 0 && elsewhere != 0).then_some((members & self.live, what))
    }

    /// Groups execute a collective together, each at its own instruction.
    pub(crate) fn execute_collective(
        &mut self,
        groups: &[LanePosition],
        launch: &Launch<'_>,
        state: &mut RunState,
    ) {
        self.spin.window.iter_mut().for_each(|window| window.fail());
        let all = groups.iter().fold(0, |all, group| all | group.mask);
        let given: Vec<_> = groups.iter().filter_map(|group| self.given(*group, launch)).collect();
        for CollectiveInput { group, function, instruction, exchange, mut registers } in given.iter().cloned()
        {
            let LanePosition { frame, pc, mask } = group;
            let statement = StatementId(function.first_statement + pc);
            let executed = instruction.guard.of(&registers.predicates, mask);
            state.steps += 1;
            self.recorder.visit(statement, mask.into(), executed.into());
            if let Some(sanitizer) = &mut state.sanitizer {
                let order = function.orders[pc as usize];
                sanitizer.begin(statement, order, self.id.warp, self.live, all);
            }
            if let Some(exchange) = exchange {
                for CollectiveInput { group, exchange: theirs, registers: from, .. } in &given {
                    let Some(theirs) = theirs else { continue };
                    take_over(&exchange, &mut registers, theirs, from, group.mask & !mask);
                }
                if let Some(warning) = warp_collectives::execute(&exchange, &mut registers, self.live, all) {
                    state.report(warning.warning(self.id, statement.0));
                }
            }
            let Some(frame) = &mut self.frames[frame as usize] else { continue };
            let results = exchange.map(|exchange| (exchange.d, exchange.p.map(RegisterSlot::Predicate)));
            for place in results.into_iter().flat_map(|(d, p)| d.into_iter().chain(p)) {
                for lane in lanes(executed) {
                    put(place, &mut frame.registers, lane, get(place, &registers, lane));
                }
            }
            if frame.written.is_some() {
                note(function, pc, (mask, executed), frame, &mut self.tracer, state);
            }
        }
    }

    fn given<'p>(&self, group: LanePosition, launch: &Launch<'p>) -> Option<CollectiveInput<'p>> {
        let function = self.function(launch, group.frame)?;
        let instruction = *function.code.get(group.pc as usize)?;
        let exchange = exchange_of(&instruction, function).copied();
        let registers = self.frames[group.frame as usize].as_ref()?.registers.clone();
        Some(CollectiveInput { group, function, instruction, exchange, registers })
    }
}

/// The input of one group to a collective.
#[derive(Clone)]
struct CollectiveInput<'p> {
    group: LanePosition,
    function: &'p Function,
    instruction: Instruction,
    /// `None` if the groups only synchronize.
    exchange: Option<Exchange>,
    registers: Registers,
}

fn exchange_of<'f>(instruction: &Instruction, function: &'f Function) -> Option<&'f Exchange> {
    match instruction.op {
        Op::Shuffle | Op::Vote | Op::Match | Op::Reduce | Op::Elect => {
            function.tables.exchanges.get(instruction.s.a as usize)
        }
        _ => None,
    }
}

/// Copies the inputs of other lanes to the registers that our instruction reads.
fn take_over(ours: &Exchange, to: &mut Registers, theirs: &Exchange, from: &Registers, mask: u32) {
    let values = ours.a.zip(theirs.a);
    let members = ours.members.zip(theirs.members);
    for lane in lanes(mask) {
        if let Some((ours, theirs)) = members {
            put(RegisterSlot::Word(ours), to, lane, get(RegisterSlot::Word(theirs), from, lane));
        }
        if let Some((at, theirs_at)) = values {
            let turned = u128::from(ours.negated != theirs.negated);
            put(at, to, lane, get(theirs_at, from, lane) ^ turned);
        }
    }
}
