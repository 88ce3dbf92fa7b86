//! Collective instructions: which lanes a group must wait for, and how groups at different instructions execute one
//! collective.

use warplens_sim_cuda::inactive_sources::InactiveSources;
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH, lanes};
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_warp::trace::StatementId;

use super::frame::Frame;
use super::observers::record_writes;
use super::operand::{get, put};
use super::value_tracer::registers_of;
use super::warp::Warp;
use super::warp_collectives::{self, Outcome, barriers, exchange_of, members_slot, named};
use crate::engine::divergence::group::{CollectiveKind, Group, LanePosition};
use crate::engine::launch::Launch;
use crate::program::{Exchange, Function, Instruction, Op, RegisterSlot};
use crate::sanitizer::undefined_use::{StatementVisit, UndefinedBits, UndefinedInput};

impl Warp {
    /// Makes the group wait if its next instruction needs lanes that are elsewhere; returns whether it waits.
    pub(crate) fn waits_for_convergence(&mut self, group: Group, launch: &Launch<'_>) -> bool {
        let missing = self.function(launch, group.frame).and_then(|function| self.missing(group, function));
        let Some((lanes, what)) = missing else { return false };
        self.groups.wait_for(lanes, what);
        true
    }

    /// The participants of the group's next instruction, if some of them are elsewhere.
    fn missing(&self, group: Group, function: &Function) -> Option<(u32, CollectiveKind)> {
        let frame = self.frames[group.frame as usize].as_ref()?;
        let instruction = function.code.get(group.pc as usize)?;
        let executed = instruction.guard.of(&frame.registers.predicates, group.mask);
        let what = match instruction.op {
            Op::WarpSync => CollectiveKind::Sync,
            Op::Barrier(_) => CollectiveKind::Arrive,
            _ => exchange_of(instruction, function)
                .map_or(CollectiveKind::Here, |exchange| CollectiveKind::Exchange(exchange.kind)),
        };
        let members = match members_slot(instruction, function) {
            Some(slot) => named(frame.registers.get(slot), executed),
            None if matches!(what, CollectiveKind::Exchange(_)) => return None,
            None => self.live,
        };
        let elsewhere = members & self.live & !group.mask;
        (executed != 0 && elsewhere != 0).then_some((members & self.live, what))
    }

    /// Executes a collective for several groups, each at its own instruction.
    pub(crate) fn execute_collective(
        &mut self,
        groups: &[LanePosition],
        launch: &Launch<'_>,
        state: &mut RunState,
    ) {
        self.spin.window.iter_mut().for_each(|window| window.fail());
        if state.further.is_some() && self.frames.iter().flatten().any(Frame::has_unknown) {
            state.end_search();
        }
        let all = groups.iter().fold(0, |all, group| all | group.mask);
        let given: Vec<_> = groups.iter().filter_map(|group| self.given(*group, launch)).collect();
        let members = joint_members(&given);
        for own in &given {
            let CollectiveInput { group, function, instruction, exchange, .. } = *own;
            let mut registers = own.registers.clone();
            let LanePosition { frame, pc, mask } = group;
            let statement = StatementId(function.first_statement + pc);
            let executed = instruction.guard.of(&registers.predicates, mask);
            state.steps += 1;
            self.recorder.visit(statement, mask.into(), executed.into());
            if let Some(sanitizer) = &mut state.sanitizer {
                let order = &function.orders[pc as usize];
                let barriers = barriers(members.as_ref(), all);
                sanitizer.begin_apart(statement, order, self.id.warp, self.live, barriers);
            }
            let warning = match &exchange {
                Some(exchange) => {
                    self.exchange(exchange, own, &given, (all, executed), &mut registers).warning
                }
                None => members.and_then(|members| warp_collectives::check_members(&members, self.live, all)),
            };
            if let Some(warning) = warning {
                state.report(warning.warning(self.id, statement.0));
            }
            let Some(frame) = &mut self.frames[frame as usize] else { continue };
            if let Some(moment) = self.tracer.as_mut().and_then(|tracer| tracer.due()) {
                moment.before(registers_of(function, frame));
            }
            let results = exchange.map(|exchange| (exchange.d, exchange.p.map(RegisterSlot::Predicate)));
            for place in results.into_iter().flat_map(|(d, p)| d.into_iter().chain(p)) {
                for lane in lanes(executed) {
                    put(place, &mut frame.registers, lane, get(place, &registers, lane));
                }
            }
            record_writes(function, pc, (mask, executed), frame, &mut self.tracer, state);
        }
    }

    /// Executes a group's instruction with the inputs of all groups.
    fn exchange(
        &mut self,
        exchange: &Exchange,
        own: &CollectiveInput<'_>,
        given: &[CollectiveInput<'_>],
        (all, executed): (u32, u32),
        registers: &mut Registers,
    ) -> Outcome {
        let (function, LanePosition { frame, pc, mask }) = (own.function, own.group);
        for CollectiveInput { group, exchange: theirs, registers: from, .. } in given {
            let Some(theirs) = theirs else { continue };
            take_over(exchange, registers, theirs, from, group.mask & !mask);
        }
        let undefined = self.frames[frame as usize].as_mut().and_then(|frame| frame.undefined.as_mut());
        let Some(undefined) = undefined else {
            return warp_collectives::execute(exchange, registers, self.live, all);
        };
        let visit = StatementVisit { function, pc, active: mask, executed, registers };
        undefined.exchange(&visit, all, &joint_input(own.input, given));
        let outcome = warp_collectives::execute(exchange, registers, self.live, all);
        if let (None, Some(inactive)) = (&outcome.warning, outcome.inactive) {
            let readers = inactive.readers & executed;
            undefined.shuffled(function, pc, InactiveSources { readers, ..inactive });
        }
        outcome
    }

    fn given<'p>(&self, group: LanePosition, launch: &Launch<'p>) -> Option<CollectiveInput<'p>> {
        let function = self.function(launch, group.frame)?;
        let instruction = *function.code.get(group.pc as usize)?;
        let exchange = exchange_of(&instruction, function).copied();
        let frame = self.frames[group.frame as usize].as_ref()?;
        let undefined = frame.undefined.as_deref().filter(|undefined| !undefined.is_empty());
        let input = undefined.map(|undefined| undefined.input(function, group.pc, group.mask));
        let (registers, input) = (frame.registers.clone(), input.unwrap_or_default());
        Some(CollectiveInput { group, function, instruction, exchange, registers, input })
    }
}

#[derive(Clone)]
struct CollectiveInput<'p> {
    group: LanePosition,
    function: &'p Function,
    instruction: Instruction,
    /// `None` if the groups only synchronize.
    exchange: Option<Exchange>,
    registers: Registers,
    input: UndefinedInput,
}

/// The member masks of all groups, if the collective has them.
fn joint_members(given: &[CollectiveInput<'_>]) -> Option<PerLane<u32>> {
    let mut all = [0; WIDTH];
    for CollectiveInput { group, function, instruction, registers, .. } in given {
        let members = registers.get::<u32>(members_slot(instruction, function)?);
        lanes(group.mask).for_each(|lane| all[lane] = members[lane]);
    }
    Some(all)
}

/// Combines a group's undefined input with the other groups' values.
fn joint_input(own: UndefinedInput, given: &[CollectiveInput<'_>]) -> UndefinedInput {
    let mut all = own;
    for CollectiveInput { input, .. } in given {
        all.value |= input.value;
        all.root = all.root.or(input.root);
    }
    // Groups may use different registers, so their bits are merged lane by lane.
    if given.iter().any(|CollectiveInput { input, .. }| input.bits.is_some()) {
        let mut bits = UndefinedBits { bits: [0; WIDTH], copied: 0 };
        for CollectiveInput { group, input, .. } in given {
            for lane in lanes(group.mask & input.value) {
                bits.bits[lane] = input.bits.map_or(u64::MAX, |parts| parts.bits[lane]);
                bits.copied |= input.bits.map_or(1 << lane, |parts| parts.copied & 1 << lane);
            }
        }
        all.bits = Some(bits);
    }
    all
}

/// Copies the other lanes' inputs to the registers that our instruction reads.
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
