//! Calls, returns and indexed branches, whose targets may differ between lanes.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::local::{Local, MAX_LOCAL_BYTES};
use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::registers::{Registers, WIDTH, filter_lanes, lanes};
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::windows;
use warplens_sim_cuda::work::WORK_PER_STEP;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::objects::display_name;
use warplens_sim_warp::recording::{Access, Space, WarpTap};
use warplens_sim_warp::trace::{Related, StatementId, Status};

use super::frame::{Frame, pass};
use super::operand::get;
use super::system_calls;
use super::warp::{ControlVisit, Pause, Warp};
use crate::engine::divergence::group::{FunctionEntry, Group};
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::engine::waits::poll_log::LoggedStep;
use crate::engine::waits::spin::BackwardBranch;
use crate::program::{Call, CallId, Callee, Formal, Function, Passing, Slot, SwitchId, System, Uniformity};
use crate::sanitizer::passing::{self, PassingFrame};

/// Minimum stack size of a call, in bytes.
const MIN_FRAME: u32 = 128;
/// Bytes of registers and local memory whose clearing counts as a step.
const BYTES_PER_STEP: u64 = 64 * WORK_PER_STEP;
const MAX_CALLERS: usize = 8;

impl Warp {
    pub(crate) fn switch(
        &mut self,
        id: SwitchId,
        uniformity: Uniformity,
        visit: ControlVisit<'_>,
        run: &mut RunContext<'_>,
    ) -> Option<Pause> {
        let ControlVisit { instruction, function, group, executed } = visit;
        let Group { pc, mask, frame, .. } = group;
        let statement = visit.statement();
        let switch = &function.tables[id];
        let index = *self.frames[frame as usize].as_ref()?.registers.get::<u32>(switch.index);
        let beyond = filter_lanes(executed, |lane| index[lane] as usize >= switch.targets.len());
        if beyond != 0 {
            let count = switch.targets.len();
            let message = format!("the table has {count} targets\ncheck the index before the branch");
            let fault = Fault::new(FindingKind::BranchIndex, message, beyond);
            return Some(self.fault(fault, statement, run));
        }
        let targets = lanes(executed).map(|lane| (switch.targets[index[lane] as usize], 1 << lane));
        let parts: Vec<(u32, u32)> = targets.chain([(pc + 1, mask & !executed)]).collect();
        let one = |parts: &[(u32, u32)]| {
            let mut targets = parts.iter().filter(|(_, lanes)| *lanes != 0).map(|(target, _)| target);
            let first = targets.next();
            targets.all(|target| Some(target) == first)
        };
        if uniformity == Uniformity::Asserted && !one(&parts) {
            self.not_uniform("a branch", visit, run.state);
        }
        let join = run.launch.plan.join(&instruction);
        let target = self.diverge(&parts, (statement, pc), join)?;
        self.take_back_edge(pc, target, function, run.spaces);
        let registers = &self.frames[frame as usize].as_ref()?.registers;
        let is_due = target <= pc && self.spin.counter.backward(pc, target, registers);
        let branch = BackwardBranch { from: pc, alone: false };
        if is_due { self.detect_wait(branch, target, function, run) } else { None }
    }

    pub(crate) fn call(
        &mut self,
        call: CallId,
        uniformity: Uniformity,
        visit: ControlVisit<'_>,
        run: &mut RunContext<'_>,
    ) -> Option<Pause> {
        let ControlVisit { function, group: Group { pc, frame, .. }, executed, .. } = visit;
        let statement = visit.statement();
        if executed == 0 {
            self.groups.advance_to(pc + 1);
            return None;
        }
        let target = function.tables[call].callee;
        self.check_passed(frame, function, &function.tables[call].arguments, executed, run.state);
        if let Callee::System(system) = target {
            if run.state.further.as_ref().is_some_and(|further| !further.memory.is_empty()) {
                run.state.end_search();
            }
            return match self.call_system(system, &function.tables[call], frame, executed, run) {
                Ok(()) => {
                    self.groups.advance_to(pc + 1);
                    None
                }
                Err(fault) => Some(self.fault(fault, statement, run)),
            };
        }
        let callees = match self.callees(target, frame, executed, run.launch) {
            Ok(callees) => callees,
            Err(fault) => return Some(self.fault(fault, statement, run)),
        };
        self.check_callees(&callees, &function.tables[call], uniformity, statement, run);
        let mut entered = Vec::with_capacity(callees.len());
        for (callee, mask) in callees {
            let Some(new) = self.enter(call, function, frame, callee, mask, run.launch) else {
                let message = format!(
                    "the call exceeds {MAX_LOCAL_BYTES} bytes per thread\nreduce the call depth or the local memory"
                );
                let fault = Fault::new(FindingKind::StackOverflow, message, mask);
                return Some(self.fault(fault, statement, run));
            };
            let entered_function = &run.launch.program.functions[callee as usize];
            run.state.charge(entered_function.frame.bytes() / BYTES_PER_STEP);
            if let Some(sanitizer) = &mut run.state.sanitizer {
                let base = self.frames[new as usize].as_ref().map_or(0, |frame| frame.local_base);
                sanitizer.entered(self.id.warp, base, entered_function.frame.local_size, mask);
                let arguments = &function.tables[call].arguments;
                let (from, to) =
                    ((frame, function, &**arguments), (new, entered_function, &*entered_function.params));
                self.pass_undefined(sanitizer, from, to, mask);
            }
            // Lanes do not leave a `.noreturn` function unnoticed: those that reach its end are reported there.
            let end =
                if entered_function.is_noreturn { u32::MAX } else { entered_function.code.len() as u32 };
            entered.push(FunctionEntry { frame: new, function: callee, end, mask });
        }
        self.groups.call(pc + 1, &entered);
        None
    }

    fn call_system(
        &mut self,
        system: System,
        call: &Call,
        frame: Slot,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Result {
        let Some(frame) = self.frames[frame as usize].as_mut() else { return Ok(()) };
        let meter = Meter::new(run.state, run.launch.cancelled);
        let mut taken = run.state.sanitizer.take();
        let mut sanitizer = taken.as_deref_mut();
        if let Some(sanitizer) = &mut sanitizer {
            passing::write_results(sanitizer, self.id.warp, frame.local_base, &call.results, executed);
        }
        self.spin.window.iter_mut().for_each(|window| window.fail());
        let pointer = if run.launch.program.wide_addresses { 8 } else { 4 };
        let mut callee = system_calls::CallContext {
            spaces: run.spaces,
            local: &mut self.local,
            sanitizer,
            meter,
            pointer,
        };
        let result = system_calls::call(system, call, frame, &mut callee, executed);
        callee.meter.close(run.state);
        run.state.sanitizer = taken;
        result
    }

    /// Reports a fault, which ends the run.
    pub(super) fn fault(&self, fault: Fault, statement: u32, run: &mut RunContext<'_>) -> Pause {
        if fault.is_interruption() {
            return Pause::Due;
        }
        run.state.report(fault.finding(self.id, statement));
        Pause::Stopped(Status::Faulted)
    }

    /// The functions that the lanes call, in descending order of their number.
    fn callees(
        &self,
        callee: Callee,
        frame: Slot,
        executed: u32,
        launch: &Launch<'_>,
    ) -> Result<Vec<(u32, u32)>> {
        let place = match callee {
            Callee::Direct(function) => return Ok(vec![(function, executed)]),
            Callee::Indirect(place) => place,
            Callee::System(_) => return Ok(Vec::new()),
        };
        let Some(frame) = &self.frames[frame as usize] else { return Ok(Vec::new()) };
        let mut callees: Vec<(u32, u32)> = Vec::new();
        for lane in lanes(executed) {
            let address = get(place, &frame.registers, lane) as u64;
            let Some(function) = function_at(address, launch.program.functions.len()) else {
                let message =
                    format!("address {address:#x} is not a function\nuse `mov` to get a function's address");
                return Err(Fault::new(FindingKind::CallTarget, message, 1 << lane));
            };
            match callees.iter_mut().find(|(have, _)| *have == function) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => callees.push((function, 1 << lane)),
            }
        }
        callees.sort_unstable_by_key(|(function, _)| std::cmp::Reverse(*function));
        Ok(callees)
    }

    /// How many frames from a call's on outwards are those of a function.
    pub(crate) fn depth(&self, function: u32, caller: Option<(Slot, CallId)>) -> u32 {
        let next = |&(slot, _): &(Slot, CallId)| self.frames[slot as usize].as_ref()?.caller;
        let is_of =
            |slot: Slot| self.frames[slot as usize].as_ref().is_some_and(|it| it.function == function);
        std::iter::successors(caller, next).filter(|(slot, _)| is_of(*slot)).count() as u32
    }

    /// Creates a frame and passes the arguments; `None` if the stack is full.
    fn enter(
        &mut self,
        call: CallId,
        caller: &Function,
        frame: Slot,
        callee: u32,
        mask: u32,
        launch: &Launch<'_>,
    ) -> Option<Slot> {
        let function = &launch.program.functions[callee as usize];
        let depth = if self.tracer.is_some() { self.depth(callee, Some((frame, call))) } else { 0 };
        let from = self.frames[frame as usize].take()?;
        let base = from.top(caller).next_multiple_of(16).max(from.local_base + MIN_FRAME);
        let top = base + function.frame.local_size;
        if top > MAX_LOCAL_BYTES {
            self.frames[frame as usize] = Some(from);
            return None;
        }
        self.local.grow(top);
        let mut new = Frame::new(callee, function, base, &self.threads);
        (new.caller, new.depth) = (Some((frame, call)), depth);
        let arguments = &caller.tables[call].arguments;
        for (argument, formal) in arguments.iter().zip(&function.params) {
            let source: (_, &Registers, _) = (argument, &from.registers, from.local_base);
            pass(source, (formal, &mut new.registers, base), &mut self.local, mask);
        }
        if let Some(tracer) = &mut self.tracer {
            new.written = Some(vec![0; function.frame.registers.len()]);
            new.note_passed(function, &function.params, mask);
            if let (Some(tap), Some(pc)) = (tracer.tap(&from), caller.call_site(call)) {
                let statement = StatementId(caller.first_statement + pc);
                let from = (&**arguments, from.local_base);
                record_passed(
                    tap,
                    (statement, true),
                    from,
                    (function, &function.params, &new),
                    &self.local,
                    mask,
                );
            }
        }
        let caller = (from.function, from.local_base);
        self.frames[frame as usize] = Some(from);
        let slot = self.frames.iter().position(Option::is_none).unwrap_or(self.frames.len());
        if slot == self.frames.len() {
            self.frames.push(None);
        }
        if let Some(window) = &mut self.spin.window {
            let (call, from, to) = ((caller.0, call, callee), (frame, caller.1), (slot as Slot, base));
            window.push(LoggedStep::Transfer { returns: false, call, from, to, mask });
        }
        self.frames[slot] = Some(new);
        self.local.frames.called(slot as Slot, callee, base, frame);
        Some(slot as Slot)
    }

    /// Keeps undefined arguments and results undefined in the other frame.
    fn pass_undefined(
        &mut self,
        sanitizer: &mut Sanitizer,
        (source, from_function, given): (Slot, &Function, &[Formal]),
        (target, to_function, taken): (Slot, &Function, &[Formal]),
        mask: u32,
    ) {
        let Ok([Some(from), Some(to)]) = self.frames.get_disjoint_mut([source as usize, target as usize])
        else {
            return;
        };
        let from =
            PassingFrame { function: from_function, base: from.local_base, undefined: &mut from.undefined };
        let to = PassingFrame { function: to_function, base: to.local_base, undefined: &mut to.undefined };
        passing::copy_values(sanitizer, self.id.warp, (from, given), (to, taken), mask);
    }

    /// Ends the search for further faults if an argument or a result may be unknown: the other frame would not know.
    fn check_passed(
        &self,
        frame: Slot,
        function: &Function,
        formals: &[Formal],
        mask: u32,
        state: &mut RunState,
    ) {
        let Some(further) = &state.further else { return };
        let unknown = self.frames[frame as usize].as_ref().and_then(|frame| frame.unknown.as_ref());
        if further.memory.has_local()
            || unknown.is_some_and(|unknown| unknown.has_formal(function, formals, mask))
        {
            state.end_search();
        }
    }

    /// The statements that called the function of a frame, innermost first.
    pub(crate) fn call_stack(&self, launch: &Launch<'_>, frame: Slot) -> Vec<Related> {
        let caller = |&(slot, _): &(Slot, CallId)| self.frames[slot as usize].as_ref()?.caller;
        let first = self.frames[frame as usize].as_ref().and_then(|frame| frame.caller);
        let calls = std::iter::successors(first, caller).take(MAX_CALLERS);
        let related = calls.filter_map(|(slot, call)| {
            let function = self.function(launch, slot)?;
            let statement = function.first_statement + function.call_site(call)?;
            Some(Related::new(statement, format!("called here, in `{}`", display_name(&function.name))))
        });
        related.collect()
    }

    /// Copies the results of a call to its caller, for the returning lanes.
    pub(crate) fn pass_results(
        &mut self,
        run: &mut RunContext<'_>,
        frame: Slot,
        caller: Slot,
        call: CallId,
        mask: u32,
    ) {
        let launch = run.launch;
        if let Some(from) = self.function(launch, frame) {
            self.check_passed(frame, from, &from.returns, mask, run.state);
        }
        if let Some(sanitizer) = &mut run.state.sanitizer
            && let [Some(from), Some(to)] = [frame, caller].map(|frame| self.function(launch, frame))
        {
            let results = &to.tables[call].results;
            self.pass_undefined(sanitizer, (frame, from, &from.returns), (caller, to, results), mask);
        }
        let Some(from) = self.frames[frame as usize].take() else { return };
        if let Some(to) = &mut self.frames[caller as usize] {
            let function = &launch.program.functions[from.function as usize];
            let calling = &launch.program.functions[to.function as usize];
            let results = &calling.tables[call].results;
            if let Some(window) = &mut self.spin.window {
                let call = (to.function, call, from.function);
                let (from, to) = ((frame, from.local_base), (caller, to.local_base));
                window.push(LoggedStep::Transfer { returns: true, call, from, to, mask });
            }
            for (result, formal) in results.iter().zip(&function.returns) {
                let source = (formal, &from.registers, from.local_base);
                pass(source, (result, &mut to.registers, to.local_base), &mut self.local, mask);
            }
            if let Some(tracer) = &mut self.tracer {
                to.note_passed(calling, results, mask);
                if let Some(pc) = calling.call_site(call) {
                    if let Some(tap) = tracer.tap(to) {
                        let statement = StatementId(calling.first_statement + pc);
                        let from = (&*function.returns, from.local_base);
                        record_passed(
                            tap,
                            (statement, false),
                            from,
                            (calling, results, to),
                            &self.local,
                            mask,
                        );
                    }
                    tracer.reread_results(calling, pc, to, mask);
                }
            }
        }
        self.frames[frame as usize] = Some(from);
    }
}

/// Records what a call (`true`) or a return (`false`) at a statement has passed to a frame. A value from local memory has the access that
/// read it.
fn record_passed(
    tap: &WarpTap,
    at: (StatementId, bool),
    (given, from_base): (&[Formal], u32),
    (function, taken, to): (&Function, &[Formal], &Frame),
    local: &Local,
    mask: u32,
) {
    let (mut registers, mut accesses) = (Vec::new(), Vec::new());
    for (given, taken) in given.iter().zip(taken) {
        match taken.at {
            Passing::Register(place) => {
                let named = function.frame.registers.iter().filter(|register| register.place == place);
                let value = |lane: usize| get(place, &to.registers, lane) as u64;
                registers.extend(named.map(|named| (named.name.clone(), (0..WIDTH).map(value).collect())));
            }
            Passing::Local(offset) => {
                let size = u64::from(given.size.min(taken.size));
                let access = |start: u32, writes: bool| {
                    let at = |lane: usize| (lane as u32, u64::from(start));
                    let byte = |lane: usize, byte: u64| local.read(lane, u64::from(start) + byte, 1) as u8;
                    let data = lanes(mask).flat_map(|lane| (0..size).map(move |at| byte(lane, at)));
                    Access {
                        space: Space::Local,
                        owner: 0,
                        reads: !writes,
                        writes,
                        bytes: size,
                        lanes: lanes(mask).map(at).collect(),
                        data: if writes { data.collect() } else { Vec::new() },
                    }
                };
                if let Passing::Local(source) = given.at {
                    accesses.push(access(from_base + source, false));
                }
                accesses.push(access(to.local_base + offset, true));
            }
            Passing::Nowhere => {}
        }
    }
    tap.passed(at, mask.into(), (to.function, to.depth, &registers), &accesses);
}

fn function_at(address: u64, functions: usize) -> Option<u32> {
    let offset = address.checked_sub(windows::CODE)?;
    let index = offset / 16;
    (offset.is_multiple_of(16) && index < functions as u64).then_some(index as u32)
}
