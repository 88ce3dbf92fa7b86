//! Control instructions: branches, tokens, convergence barriers, calls, exits, block barriers.

use warplens_sim_cuda::grid::pause::{Arrival, ArrivalForm, ClusterAction, ClusterArrival};
use warplens_sim_cuda::registers::{FULL, WIDTH, filter_lanes, lanes};
use warplens_sim_cuda::work::UNKNOWN_STEPS;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related, Severity, StatementId, Status};

use super::branching::Branching;
use super::machine::{Group, MAX_TOKENS, MachineError, WaitReason, Waiting};
use super::pause::Pause;
use super::program::{
    BarrierState, BarrierStep, Cell, Control, Jump, JumpWidth, Op, Operation, Token, Unknown,
};
use super::registers::{CALL_LIMIT, Row};
use super::warp::{RunContext, Warp};

/// Nested calls before the run stops.
const MAX_CALL_DEPTH: usize = 1000;

/// Whether the group continues by itself. An error is a pause.
type Continues = Result<bool, Pause>;

impl Warp {
    /// Executes the control instruction of a group, which has been checked and recorded, in the lanes of `executed`. Returns
    /// whether the group continues at its new position without a choice by the machine.
    pub(super) fn control(
        &mut self,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let program = run.launch.program;
        let operation = program.code[group.pc as usize];
        let control = match operation.op {
            Op::Control(control) => control,
            Op::Unknown(unknown) => {
                return self.unknown(&program.unknowns[unknown], &operation, group, executed, run);
            }
            Op::Unsupported(note) => {
                return self.unsupported(&program.notes[note], group, executed, run);
            }
            // Only control flow comes here.
            _ => return Ok(go(group, group.pc + 1)),
        };
        let next = group.pc + 1;
        match control {
            Control::Indirect(jump, _) => self.indirect(jump, group, executed, run),
            Control::Call(target) => self.call(target, group, executed, run),
            Control::CallIndirect(jump) => {
                self.enter(group, executed, run)?;
                self.indirect(jump, group, executed, run)
            }
            Control::Push(Token::Return, _) if self.machine.depth(Token::Return) >= MAX_CALL_DEPTH => {
                self.registers.set_predicate(CALL_LIMIT, FULL, FULL);
                Ok(go(group, next))
            }
            Control::Return(jump) => {
                lanes(executed).for_each(|lane| self.calls[lane] = self.calls[lane].saturating_sub(1));
                self.indirect(jump, group, executed, run)
            }
            Control::PopReturn => self.pop(Token::Return, group, executed, run),
            Control::Pop(token) => self.pop(token, group, executed, run),
            Control::Push(token, target) => {
                self.check_tokens(group, executed, run)?;
                self.machine.push(token, target);
                Ok(go(group, next))
            }
            Control::Trap if executed != 0 => Err(self.trap(group.pc, executed, run)),
            Control::Trap => Ok(go(group, next)),
            Control::Block { .. } => self.arrive(control, &operation, group, executed, run),
            Control::Cluster { waits } if executed != 0 => {
                Err(self.arrive_at_cluster(waits, group.pc, executed))
            }
            _ => self.barrier(control, &operation, group, executed, run),
        }
    }

    fn trap(&self, pc: u32, executed: u32, run: &mut RunContext<'_>) -> Pause {
        let message =
            format!("executed by {}\ncheck the condition that leads to it", LaneSet(executed.into()));
        run.state.report(self.id.finding(FindingKind::Trap, message, pc, executed));
        Pause::Stopped(Status::Faulted)
    }

    fn unsupported(
        &mut self,
        note: &str,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        if executed == 0 {
            let next = group.pc + 1;
            return Ok(go(group, next));
        }
        run.state.report(self.id.finding(FindingKind::Unsupported, note.to_owned(), group.pc, executed));
        Err(Pause::Stopped(Status::Unsupported))
    }

    /// A float instruction that is not simulated. The group continues without its results.
    fn unknown(
        &mut self,
        entry: &Unknown,
        operation: &Operation,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let mut chosen = 0;
        if entry.selects {
            let condition = operation.p[1];
            chosen = executed & self.registers.holds(condition) & !self.undefined.condition(condition);
            self.select(entry, operation.s[0].row, group.pc, chosen);
            self.record_late(run.launch.program, group.pc, chosen);
        }
        let executed_unknown = executed & !chosen;
        run.state.charge(UNKNOWN_STEPS);
        if executed_unknown != 0 {
            let message = format!(
                "{}\nits result is not known; the run continues, and stops where a branch or an address depends \
                 on it",
                entry.note
            );
            let finding = self.id.finding(FindingKind::Unsupported, message, group.pc, executed_unknown);
            run.state.report(finding.with_severity(Severity::Warning));
            // Where the guard is unknown, so is the result.
            let maybe = self.undefined.condition(operation.guard) & group.mask;
            let written = if operation.uniform { u32::MAX } else { executed_unknown | maybe };
            self.undefined.compute_unknown(&entry.cells, group.pc, written);
        }
        group.pc += 1;
        if operation.joins { self.join(group, executed, run) } else { Ok(true) }
    }

    /// Lanes write the source to the results.
    fn select(&mut self, entry: &Unknown, source: Row, statement: u32, lanes: u32) {
        for cell in &entry.cells {
            if let Cell::Rows(row, _) = *cell {
                let values = *self.registers.row(source);
                self.registers.set(row, lanes, &values);
                self.undefined.copy(row, source, statement, lanes);
            }
        }
    }

    fn branching<'w>(&'w mut self, run: &RunContext<'_>) -> Branching<'w> {
        Branching {
            machine: &mut self.machine,
            spin: &mut self.spin,
            registers: &self.registers,
            reads: &mut self.reads,
            changes: run.spaces.changes,
            steps: run.state.steps,
        }
    }

    /// Lanes jump to the addresses in a register or a constant.
    fn indirect(
        &mut self,
        jump: Jump,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let next = group.pc + 1;
        let mut targets: Vec<(u32, u32)> = Vec::new();
        let mut add = |target: u32, lanes: u32| match targets.iter_mut().find(|(have, _)| *have == target) {
            Some((_, mask)) => *mask |= lanes,
            None => targets.push((target, lanes)),
        };
        for lane in lanes(executed) {
            let program = run.launch.program;
            let found = self.address(jump, lane).and_then(|address| {
                let found = match program.code[group.pc as usize].op {
                    Op::Control(Control::Return(_)) => program.return_at(address, group.pc),
                    _ => program.statement_at(address, group.pc),
                };
                found.ok_or_else(|| {
                    format!(
                        "lane {lane} jumps to {address:#x}, which is not an instruction\n\
                         check the register, or add the code at that address"
                    )
                })
            });
            let target = match found {
                Ok(target) => target,
                Err(message) => {
                    run.state.report(self.id.finding(
                        FindingKind::ControlFlow,
                        message,
                        group.pc,
                        1u32 << lane,
                    ));
                    return Err(Pause::Stopped(Status::Faulted));
                }
            };
            add(target, 1 << lane);
        }
        if group.mask & !executed != 0 {
            add(next, group.mask & !executed);
        }
        match targets[..] {
            [] => Ok(go(group, next)),
            [(target, _)] => self.branching(run).jump(group, target),
            _ => {
                self.machine.diverge(&targets);
                Ok(false)
            }
        }
    }

    /// The address that a lane jumps to. Before Volta, addresses do not wrap around at 4 GB.
    fn address(&self, jump: Jump, lane: usize) -> Result<u64, String> {
        let word = || self.registers.int_in(jump.source, lane);
        let value = match jump.width {
            JumpWidth::Pair => {
                let pair = self.registers.int_64(jump.source)[lane];
                return Ok(pair.wrapping_add(jump.base as u64) & 0xff_ffff_ffff);
            }
            JumpWidth::Signed => i64::from(word() as i32),
            JumpWidth::Unsigned => i64::from(word()),
        };
        let address = value.saturating_add(jump.base);
        u32::try_from(address).map(u64::from).map_err(|_| {
            let sign = if address < 0 { "-" } else { "" };
            let place = if address < 0 { "below address 0" } else { "beyond 4 GB" };
            format!(
                "lane {lane} jumps to {sign}{:#x}, {place}\n\
                 the sum of the register and the number is not reduced to 32 bits; check both",
                address.unsigned_abs()
            )
        })
    }

    /// Lanes call a function. Before Volta this pushes a token for their return.
    fn call(&mut self, target: u32, group: &mut Group, executed: u32, run: &mut RunContext<'_>) -> Continues {
        let next = group.pc + 1;
        // Since Volta, return addresses are in registers.
        if !run.launch.program.target.has_barriers() {
            self.machine.push(Token::Return, next);
            if self.machine.depth(Token::Return) > MAX_CALL_DEPTH {
                return Err(self.nested_too_deep(group, executed, run));
            }
            return self.branching(run).jump(group, target);
        }
        self.enter(group, executed, run)?;
        self.branching(run).branch(group, target, executed)
    }

    /// Lanes call a function whose return address is in a register.
    fn enter(&mut self, group: &Group, executed: u32, run: &mut RunContext<'_>) -> Result<(), Pause> {
        lanes(executed).for_each(|lane| self.calls[lane] += 1);
        match lanes(executed).any(|lane| usize::from(self.calls[lane]) > MAX_CALL_DEPTH) {
            true => Err(self.nested_too_deep(group, executed, run)),
            false => Ok(()),
        }
    }

    /// Reports tokens that nothing pops, as in a loop that begins with `SSY`.
    fn check_tokens(&self, group: &Group, executed: u32, run: &mut RunContext<'_>) -> Result<(), Pause> {
        if self.machine.tokens() < MAX_TOKENS {
            return Ok(());
        }
        let message = format!(
            "more than {MAX_TOKENS} tokens that no lane has popped\n\
             the loop around this instruction pushes one each time; pop it in the loop, or push it before"
        );
        run.state.report(self.id.finding(FindingKind::CallDepth, message, group.pc, executed));
        Err(Pause::Stopped(Status::Faulted))
    }

    fn nested_too_deep(&self, group: &Group, executed: u32, run: &mut RunContext<'_>) -> Pause {
        let message = format!("beyond the limit of {MAX_CALL_DEPTH}\ncheck the end of the recursion");
        run.state.report(self.id.finding(FindingKind::CallDepth, message, group.pc, executed));
        Pause::Stopped(Status::Faulted)
    }

    /// The instruction before the group's position is marked `.S`, so the lanes that executed it wait.
    pub(super) fn join(&mut self, group: &mut Group, executed: u32, run: &mut RunContext<'_>) -> Continues {
        let next = group.pc;
        group.pc -= 1;
        let continues = self.pop(Token::Sync, group, executed, run);
        group.pc = next;
        continues
    }

    /// Lanes wait in the innermost token of a kind.
    fn pop(&mut self, token: Token, group: &mut Group, executed: u32, run: &mut RunContext<'_>) -> Continues {
        let next = group.pc + 1;
        match self.machine.pop(token, executed, group.pc, next) {
            Ok(()) if executed == 0 => Ok(go(group, next)),
            Ok(()) => Ok(false),
            Err(error) => Err(self.refuse(error, group, executed, run)),
        }
    }

    /// Reports an instruction that the state of the machine does not allow.
    fn refuse(&self, error: MachineError, group: &Group, executed: u32, run: &mut RunContext<'_>) -> Pause {
        let (kind, message, status) = match error {
            MachineError::NoToken(token) => (
                FindingKind::ControlFlow,
                format!(
                    "`{}` without a token\nno `{}` precedes it on this path: the lanes have nowhere to wait; check the control flow \
                     before it",
                    token.pop(),
                    token.push()
                ),
                Status::Faulted,
            ),
            MachineError::RunsLater(missing) => (
                FindingKind::NoProgress,
                format!(
                    "Deadlock: {} {} at `WARPSYNC` for {}\nmodel `tokens` runs the other path only when they wait in a token; use \
                     model `barriers`",
                    LaneSet(executed.into()),
                    LaneSet(executed.into()).verb("waits", "wait"),
                    LaneSet(missing.into())
                ),
                Status::NoProgress,
            ),
        };
        run.state.report(self.id.finding(kind, message, group.pc, executed));
        Pause::Stopped(status)
    }

    fn barrier(
        &mut self,
        control: Control,
        operation: &Operation,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let (next, live) = (group.pc + 1, self.live);
        match control {
            Control::BarrierSet(_, None) if !run.launch.barriers => {
                let message = "`BSSY`\nthe end of its region is not in the listing, and model `tokens` needs it: add it, or use model \
                               `barriers`"
                    .to_owned();
                run.state.report(self.id.finding(FindingKind::Unsupported, message, group.pc, executed));
                return Err(Pause::Stopped(Status::Unsupported));
            }
            Control::BarrierSet(..) => self.check_tokens(group, executed, run)?,
            Control::BarrierWait(barrier) => {
                if !self.machine.wait(barrier, executed, group.pc) && executed != 0 {
                    run.state.report(self.empty_barrier(barrier, group.pc, executed));
                }
                return Ok(false);
            }
            Control::BarrierBreak(barrier) => {
                self.machine.go_on(next);
                self.machine.break_out(barrier, executed);
                return Ok(false);
            }
            Control::BarrierMove(step) => {
                let at = group.pc;
                let continues = self.move_barrier(step, operation, group, executed);
                self.record_late(run.launch.program, at, executed);
                return Ok(continues);
            }
            Control::WarpSync(source) if executed != 0 => {
                let mut buffer = [0; 32];
                let members = *self.registers.int(source, &mut buffer);
                return self.synchronize(&members, group, executed, run);
            }
            Control::WarpSyncAll if executed != 0 => {
                return self.synchronize(&[live; 32], group, executed, run);
            }
            Control::Yield => {
                self.machine.go_on(next);
                self.machine.yield_lanes(executed);
                return Ok(false);
            }
            _ => {}
        }
        Ok(go(group, next))
    }

    fn empty_barrier(&self, barrier: u8, pc: u32, executed: u32) -> Finding {
        let why = match self.machine.was_set(barrier) {
            true => {
                format!(
                    "an earlier `BSYNC B{barrier}` or `BREAK B{barrier}` has released them, and no `BSSY B{barrier}` follows it"
                )
            }
            false => format!("no `BSSY B{barrier}` precedes it on this path"),
        };
        let message = format!(
            "`BSYNC B{barrier}` waits at a barrier without lanes\n\
             {why}: the lanes do not wait for others; check the control flow before it"
        );
        self.id.finding(FindingKind::ControlFlow, message, pc, executed).with_severity(Severity::Warning)
    }

    /// Each lane waits for the lanes in its mask.
    fn synchronize(
        &mut self,
        members: &[u32; 32],
        group: &Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let unnamed = filter_lanes(executed, |lane| members[lane] >> lane & 1 == 0);
        if let Some(first) = lanes(unnamed).next() {
            let message = format!(
                "it does not include all lanes that execute the instruction\n\
                 the mask of lane {first} is {:#x} and misses {}; include each of them",
                members[first],
                LaneSet((executed & !members[first]).into())
            );
            run.state.report(self.id.finding(FindingKind::WrongMembermask, message, group.pc, unnamed));
        }
        match self.machine.synchronize(members, executed, (self.live, group.pc + 1)) {
            Ok(()) => Ok(false),
            Err(error) => Err(self.refuse(error, group, executed, run)),
        }
    }

    fn move_barrier(
        &mut self,
        step: BarrierStep,
        operation: &Operation,
        group: &mut Group,
        executed: u32,
    ) -> bool {
        let next = group.pc + 1;
        if executed == 0 {
            return go(group, next);
        }
        let exited = !self.live & self.position.launched();
        let barriers = &mut self.machine;
        match step {
            BarrierStep::Read { barrier, clears } => {
                let mask = barriers.barrier_mask(barrier);
                self.registers.set(operation.d, executed, &[mask; 32]);
                if clears {
                    barriers.write_barrier(barrier, 0);
                }
            }
            BarrierStep::Write(barrier, source) => {
                let mask = self.registers.row(source.row)[executed.trailing_zeros() as usize];
                barriers.write_barrier(barrier, mask);
            }
            BarrierStep::Copy { to, from, clears } => {
                let mask = barriers.barrier_mask(from);
                barriers.write_barrier(to, mask);
                if clears {
                    barriers.write_barrier(from, 0);
                }
            }
            BarrierStep::State(state) => {
                let value = match state {
                    BarrierState::Active => group.mask,
                    BarrierState::Exited => exited,
                    BarrierState::Other => 0,
                };
                self.registers.set(operation.d, executed, &[value; 32]);
            }
            BarrierStep::Ignore => {}
        }
        go(group, next)
    }

    /// Lanes arrive at a barrier of the block.
    fn arrive(
        &mut self,
        control: Control,
        operation: &Operation,
        group: &mut Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Continues {
        let next = group.pc + 1;
        let Control::Block { number, count, waits, reduction } = control else { return Ok(go(group, next)) };
        if executed == 0 {
            return Ok(go(group, next));
        }
        let lane = executed.trailing_zeros() as usize;
        let value = |source| self.registers.int_in(source, lane);
        let (number, count) = (value(number), count.map(value));
        match waits {
            true => self.machine.block(executed, next),
            false => self.machine.go_on(next),
        }
        let by_warp = !run.launch.barriers;
        if by_warp && executed != self.live {
            self.divergent_barrier(group.pc, executed, run);
        }
        Err(Pause::Arrived(Arrival {
            number,
            count,
            form: ArrivalForm::Unknown,
            mask: executed,
            arrived: if by_warp { self.live } else { executed },
            threads: if by_warp || executed == self.live { WIDTH as u32 } else { executed.count_ones() },
            yes: self.registers.holds(operation.p[0]) & executed,
            statement: group.pc,
            wait: waits.then_some(reduction),
        }))
    }

    /// Lanes arrive at the barrier of the cluster, or wait for it.
    fn arrive_at_cluster(&mut self, waits: bool, statement: u32, mask: u32) -> Pause {
        match waits {
            true => self.machine.block(mask, statement + 1),
            false => self.machine.go_on(statement + 1),
        }
        let action = if waits { ClusterAction::Wait } else { ClusterAction::Arrive };
        Pause::ArrivedAtCluster(ClusterArrival { mask, statement, action })
    }

    /// Reports that only a part of the warp is at a barrier at which the warp arrives as a whole.
    fn divergent_barrier(&self, statement: u32, executed: u32, run: &mut RunContext<'_>) {
        let message = format!(
            "only {} {} it\nthe others are elsewhere; before sm_70 the warp arrives as a whole: move the \
             barrier to a point where all lanes reconverge",
            LaneSet(executed.into()),
            LaneSet(executed.into()).verb("reaches", "reach")
        );
        let finding = self.id.finding(FindingKind::DivergentBarrier, message, statement, executed);
        run.state.report(finding.with(self.elsewhere(executed)));
    }

    /// No lane can run: the remaining lanes wait at barriers of the block or of the cluster, or for lanes of the warp that never arrive.
    pub(super) fn waits_for_block(&mut self, run: &mut RunContext<'_>) -> Pause {
        let waiting = self.machine.waiting();
        if waiting.iter().any(|waiting| waiting.why == WaitReason::Block) {
            return Pause::Waiting;
        }
        self.report_deadlock(&waiting, run);
        Pause::Stopped(Status::NoProgress)
    }

    /// Lanes of the warp wait for each other.
    fn report_deadlock(&self, waiting: &[Waiting], run: &mut RunContext<'_>) {
        let Some(first) = waiting.first() else { return };
        let message = format!(
            "Deadlock: {} {}",
            LaneSet(first.mask.into()),
            waits_for(first.mask, first.why, self.live)
        );
        let others = waiting.iter().skip(1).map(|other| {
            Related::new(
                other.statement,
                format!("{} {}", LaneSet(other.mask.into()), waits_for(other.mask, other.why, self.live)),
            )
        });
        let finding = self.id.finding(FindingKind::NoProgress, message, first.statement, first.mask);
        run.state.report(finding.with(others));
    }

    /// The lanes of the warp outside of `mask`, and what they do.
    pub(crate) fn elsewhere(&self, mask: u32) -> Vec<Related> {
        let others = self.machine.waiting().into_iter().filter(|waiting| waiting.mask & !mask != 0);
        let related = others.map(|waiting| {
            let others = waiting.mask & !mask;
            let lanes = LaneSet(others.into());
            Related {
                statement: StatementId(waiting.statement),
                message: format!("{lanes} {}", waits_for(others, waiting.why, self.live)),
            }
        });
        related.collect()
    }
}

/// The group continues at `pc`.
fn go(group: &mut Group, pc: u32) -> bool {
    group.pc = pc;
    true
}

/// The predicate of a sentence about lanes that wait.
fn waits_for(mask: u32, why: WaitReason, live: u32) -> String {
    let wait = LaneSet(mask.into()).verb("waits", "wait");
    let absent = |missing: u32| {
        let missing = LaneSet((missing & live).into());
        format!("{missing}, which {} not reach", missing.verb("does", "do"))
    };
    match why {
        WaitReason::Runnable => "can run here".to_owned(),
        WaitReason::Block => format!("{wait} at a barrier"),
        WaitReason::Token(Token::Diverged) => {
            format!("{} after the other path", LaneSet(mask.into()).verb("runs", "run"))
        }
        WaitReason::Token(token) => format!("{wait} in the token of `{}`", token.push()),
        WaitReason::Barrier(barrier, missing) => {
            format!("{wait} at `BSYNC B{barrier}` for {} it", absent(missing))
        }
        WaitReason::WarpSync(missing) => {
            format!("{wait} at `WARPSYNC` for {} one of this mask", absent(missing))
        }
    }
}
