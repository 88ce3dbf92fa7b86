//! Runs the most frequent operations, from branch to branch.
//!
//! Between branches, a run is one loop with one jump per instruction, compiled for the instruction set of the interpreter
//! loop. Computing operations cannot fail and only affect their destination. Anything else, including loads and stores that
//! need more than the fast check, ends the run: the interpreter loop executes it with every check and message.

use std::ops::ControlFlow;

use pulp::Simd;
use warplens_sim_cuda::registers::Registers;
use warplens_sim_cuda::semantics::bits::{self, Logic, Shift};
use warplens_sim_cuda::semantics::compare::{self, Compare, Comparison};
use warplens_sim_cuda::semantics::float::{self, FloatMode, FloatOp};
use warplens_sim_cuda::semantics::integer::{self, IntOp};
use warplens_sim_cuda::slot::Slots;
use warplens_sim_warp::scalar_type::ScalarType;

use super::branching::Branched;
use super::context::ExecContext;
use super::group_run::GroupRun;
use super::loop_exit::{Flow, LoopExit, StopLimits};
use super::paths::Paths;
use super::shared_words;
use crate::program::{Function, Instruction, Op, Quick};

impl<'w> GroupRun<'w> {
    /// Runs to the next instruction that is not frequent, or to another stop. `None` if the group's next instruction needs
    /// the general loop.
    #[inline(never)]
    pub(super) fn run_quickly<S: Simd>(&mut self, simd: S) -> Option<LoopExit> {
        let quick = QuickLoop { simd, limits: self.limits(), run: self };
        simd.vectorize(
            #[inline(always)]
            move || quick.run(),
        )
    }
}

struct QuickLoop<'r, 'w, S> {
    simd: S,
    limits: StopLimits,
    run: &'r mut GroupRun<'w>,
}

struct RunPosition<'f> {
    pc: u32,
    /// The next stop: the end of the running path, or else the group's reconvergence point (if it is not before `pc`) or the
    /// instruction at which a pause or the limit is due.
    stop: u32,
    /// The paths of a hammock, while one of them runs.
    paths: Option<Paths<'f>>,
}

impl<'w, S: Simd> QuickLoop<'_, 'w, S> {
    #[inline(always)]
    fn run(mut self) -> Option<LoopExit> {
        let mut at = RunPosition { pc: 0, stop: 0, paths: None };
        self.advance_to(&mut at, self.run.group.pc);
        let exit = loop {
            if let ControlFlow::Break(exit) = self.advance(&mut at) {
                break exit;
            }
        };
        self.run.group.pc = at.pc;
        exit
    }

    /// Continues the group at `pc`.
    #[inline(always)]
    fn advance_to(&self, at: &mut RunPosition<'w>, pc: u32) {
        let (clock, until) = (self.run.ctx.clock, self.run.group.until);
        at.pc = pc;
        at.stop = if self.limits.are_near(clock) {
            self.limits.stop(clock, pc, until)
        } else if until >= pc {
            until
        } else {
            u32::MAX
        };
    }

    #[inline(always)]
    fn switch_group(&mut self, at: &mut RunPosition<'w>) -> Flow {
        if let Some(exit) = self.run.pick_next_group() {
            return ControlFlow::Break(Some(exit));
        }
        self.advance_to(at, self.run.group.pc);
        ControlFlow::Continue(())
    }

    /// Runs to the next guard, control instruction or stop, then executes that instruction.
    #[inline(always)]
    fn advance(&mut self, at: &mut RunPosition<'w>) -> Flow {
        let has_run = self.run_straight_line(at);
        // Under a schedule, a straight run ends before a statement that synchronizes.
        let is_inside = at.paths.is_some() && at.pc < at.stop;
        if !has_run || is_inside {
            if let Some(paths) = at.paths {
                let GroupRun { group, groups, ctx, launch, .. } = &mut *self.run;
                *group = paths.split_off_path(*group, groups, ctx.live, launch);
            }
            ControlFlow::Break(None)
        } else if at.paths.is_some() {
            self.end_path(at)
        } else if at.pc < at.stop {
            self.run_guarded(at)
        } else if self.run.reconverges_at(at.pc) {
            self.run.visits.up_to(at.pc);
            self.run.groups.advance_to(at.pc);
            self.switch_group(at)
        } else {
            ControlFlow::Break(None)
        }
    }

    /// Runs to the next guard, control instruction or stop; `false` if an instruction before it needs the general loop.
    #[inline(always)]
    fn run_straight_line(&mut self, at: &mut RunPosition<'w>) -> bool {
        let GroupRun { function, frame, ctx, visits, group, .. } = &mut *self.run;
        let first = at.pc;
        let end = function.straight_runs[first as usize].min(at.stop);
        at.pc = run_range(self.simd, function, (first, end), &mut frame.registers, ctx, &visits.mask);
        if at.pc != first {
            ctx.clock += u64::from(at.pc - first);
            begin(function, at.pc - 1, ctx, group.mask);
        }
        at.pc >= end
    }

    #[inline(always)]
    fn end_path(&mut self, at: &mut RunPosition<'w>) -> Flow {
        let Some(paths) = &mut at.paths else { return ControlFlow::Break(None) };
        let next = paths.next(&mut self.run.visits, &mut self.run.ctx.clock);
        (at.pc, at.stop, self.run.group.mask) = (next.first, next.end, next.mask);
        self.run.visits.continue_with(next.mask, next.first);
        if next.is_join {
            paths.rejoin(self.run.groups);
            at.paths = None;
            self.advance_to(at, next.first);
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn run_guarded(&mut self, at: &mut RunPosition<'w>) -> Flow {
        let GroupRun { function, frame, ctx, group, .. } = &mut *self.run;
        let Some(instruction) = function.code.get(at.pc as usize) else { return ControlFlow::Break(None) };
        let executed = instruction.guard.of(&frame.registers.predicates, group.mask);
        if let Op::Branch(_) = instruction.op {
            return self.run_branch(at, instruction, executed);
        }
        if !guarded(self.simd, function, at.pc, &mut frame.registers, ctx, executed) {
            return ControlFlow::Break(None);
        }
        if executed != group.mask {
            self.run.visits.through(at.pc, executed);
        }
        self.run.ctx.clock += 1;
        at.pc += 1;
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn run_branch(&mut self, at: &mut RunPosition<'w>, branch: &Instruction, taken: u32) -> Flow {
        match self.run.branch(at.pc, branch, taken, |run| run.ctx.clock += 1) {
            // `stop` stays valid: the limit has not moved, and a pause may wait for the next taken branch.
            Branched::FellThrough => at.pc += 1,
            Branched::Jumped => self.advance_to(at, branch.s.a),
            Branched::Diverged { sides, join } => return self.diverge(at, branch, sides, join),
            Branched::Exit { pc, exit } => {
                at.pc = pc;
                return ControlFlow::Break(Some(exit));
            }
            Branched::ForWarp => return ControlFlow::Break(None),
        }
        ControlFlow::Continue(())
    }

    /// Runs the paths of a hammock one after the other, or splits the group.
    #[inline(always)]
    fn diverge(
        &mut self,
        at: &mut RunPosition<'w>,
        branch: &Instruction,
        sides: [(u32, u32); 2],
        join: u32,
    ) -> Flow {
        if let Some(number) = branch.hammock()
            && let Some(paths) = Paths::of(&self.run.function.hammocks[number], sides, join, self.run.groups)
            && self.limits.allow_until(self.run.ctx.clock + u64::from(paths.hammock.len()))
        {
            let first = paths.running();
            (at.pc, at.stop, self.run.group.mask) = (first.first, first.end, first.mask);
            self.run.visits.continue_with(first.mask, first.first);
            at.paths = Some(paths);
            return ControlFlow::Continue(());
        }
        self.run.groups.diverge(&sides, join);
        self.switch_group(at)
    }
}

/// Runs a range without control flow and guards, up to the first instruction that is not frequent; returns its position, or
/// the end. `mask` is passed by reference: for a local copy the compiler builds lane vectors on entry, and few runs use
/// them.
#[inline(always)]
fn run_range<S: Simd>(
    simd: S,
    function: &Function,
    (first, end): (u32, u32),
    registers: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: &u32,
) -> u32 {
    let code = function.code.get(first as usize..end as usize).unwrap_or_default();
    let mut pc = first;
    for instruction in code {
        if !execute(simd, instruction.quick, (function, pc as usize), &instruction.s, registers, ctx, *mask) {
            return pc;
        }
        pc += 1;
    }
    pc
}

/// Runs a guarded instruction in the lanes of `mask`; `false` if it is not frequent.
#[inline(never)]
fn guarded<S: Simd>(
    simd: S,
    function: &Function,
    pc: u32,
    registers: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            if function.code[pc as usize].op.is_control() {
                return false;
            }
            if mask == 0 {
                return true;
            }
            let has_run = run_range(simd, function, (pc, pc + 1), registers, ctx, &mask) != pc;
            if has_run {
                begin(function, pc, ctx, mask);
            }
            has_run
        },
    )
}

/// Tells the sanitizer which instruction ran last. Memory accesses have reported themselves.
#[inline(always)]
fn begin(function: &Function, pc: u32, ctx: &mut ExecContext<'_>, executed: u32) {
    if ctx.sanitizer.is_some() && !function.code[pc as usize].quick.accesses_memory() {
        ctx.begin(function, pc, executed);
    }
}

/// Runs one operation; `false` if it needs the general path. A single jump covers all operations.
#[inline(always)]
fn execute<S: Simd>(
    simd: S,
    quick: Quick,
    (function, pc): (&Function, usize),
    s: &Slots,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    use ScalarType::{B32, B64, S32, U32, U64};
    macro_rules! test {
        ($op:ident, $ty:ident) => {{
            let compare = Compare { op: Comparison::$op, ty: $ty, flush: false };
            let holds = compare::compare(simd, compare, s, r);
            r.set_predicate(s.d, mask, holds);
        }};
    }
    match quick {
        Quick::No | Quick::Branch => return false,
        Quick::LoadShared => return shared_words::load(simd, function, pc, r, ctx, mask),
        Quick::StoreShared => return shared_words::store(simd, function, pc, r, ctx, mask),
        Quick::Add => integer::execute(IntOp::Add, U32, s, r, mask),
        Quick::Subtract => integer::execute(IntOp::Sub, U32, s, r, mask),
        Quick::Multiply => integer::execute(IntOp::Mul, U32, s, r, mask),
        Quick::MultiplyAdd => integer::execute(IntOp::Mad, U32, s, r, mask),
        Quick::Add64 => integer::execute(IntOp::Add, U64, s, r, mask),
        Quick::MultiplyWide => integer::multiply_wide(U32, s, r, mask),
        Quick::MultiplyWideSigned => integer::multiply_wide(S32, s, r, mask),
        Quick::MultiplyAddWide => integer::multiply_add_wide(U32, s, r, mask),
        Quick::MultiplyAddWideSigned => integer::multiply_add_wide(S32, s, r, mask),
        Quick::And => bits::logic(Logic::And, B32, s, r, mask),
        Quick::Or => bits::logic(Logic::Or, B32, s, r, mask),
        Quick::Xor => bits::logic(Logic::Xor, B32, s, r, mask),
        Quick::Copy => bits::logic(Logic::Copy, B32, s, r, mask),
        Quick::Copy64 => bits::logic(Logic::Copy, B64, s, r, mask),
        Quick::ShiftLeft => bits::shift(Shift::Left, B32, s, r, mask),
        Quick::ShiftRight => bits::shift(Shift::Right, B32, s, r, mask),
        Quick::ShiftRightSigned => bits::shift(Shift::ArithmeticRight, B32, s, r, mask),
        Quick::ShiftLeft64 => bits::shift(Shift::Left, B64, s, r, mask),
        Quick::AddFloat => float::execute_32(simd, FloatOp::Add, FloatMode::PLAIN, s, r, mask),
        Quick::SubtractFloat => float::execute_32(simd, FloatOp::Sub, FloatMode::PLAIN, s, r, mask),
        Quick::MultiplyFloat => float::execute_32(simd, FloatOp::Mul, FloatMode::PLAIN, s, r, mask),
        Quick::MultiplyAddFloat => float::execute_32(simd, FloatOp::Fma, FloatMode::PLAIN, s, r, mask),
        Quick::Equal => test!(Equal, U32),
        Quick::NotEqual => test!(NotEqual, U32),
        Quick::Less => test!(Less, U32),
        Quick::LessEqual => test!(LessEqual, U32),
        Quick::Greater => test!(Greater, U32),
        Quick::GreaterEqual => test!(GreaterEqual, U32),
        Quick::LessSigned => test!(Less, S32),
        Quick::LessEqualSigned => test!(LessEqual, S32),
        Quick::GreaterSigned => test!(Greater, S32),
        Quick::GreaterEqualSigned => test!(GreaterEqual, S32),
    }
    true
}
