//! Runs the most frequent operations, from branch to branch.
//!
//! Between branches, a run is one loop with one jump per instruction, compiled for the instruction set of the interpreter
//! loop. Computing operations cannot fail and only affect their destination. Anything else, including loads and stores that
//! need more than the fast check, ends the run: the interpreter loop executes it with every check and message.

use pulp::{NullaryFnOnce, Simd};
use warplens_sim_cuda::registers::Registers;
use warplens_sim_cuda::semantics::bits::{self, Logic, Shift};
use warplens_sim_cuda::semantics::compare::{self, Compare, Comparison};
use warplens_sim_cuda::semantics::float::{self, FloatMode, FloatOp};
use warplens_sim_cuda::semantics::integer::{self, IntOp};
use warplens_sim_cuda::slot::Slots;
use warplens_sim_cuda::visits::Visits;
use warplens_sim_warp::scalar_type::ScalarType;

use super::absence::DivergenceLog;
use super::context::ExecContext;
use super::loop_exit::{LoopExit, Ran, StopLimits, branched, choose};
use super::paths::Paths;
use super::shared_words;
use super::spin::BranchCounter;
use crate::engine::divergence::group::Group;
use crate::engine::divergence::groups::Groups;
use crate::engine::launch::Launch;
use crate::program::{Function, Instruction, Op, Quick};

/// A group that runs frequent operations, and everything that they access.
pub(super) struct QuickRun<'r, 'w, S> {
    pub(super) simd: S,
    pub(super) function: &'r Function,
    pub(super) registers: &'r mut Registers,
    pub(super) ctx: &'r mut ExecContext<'w>,
    pub(super) visits: &'r mut Visits<'w>,
    pub(super) groups: &'r mut Groups,
    pub(super) spin: &'r mut BranchCounter,
    pub(super) divergences: &'r mut DivergenceLog,
    pub(super) launch: &'r Launch<'r>,
    pub(super) limits: StopLimits,
    pub(super) group: Group,
}

impl<S: Simd> QuickRun<'_, '_, S> {
    /// Runs to the next instruction that is not frequent, or to another stop. Returns the last group and how far it ran:
    /// `None` if its next instruction needs the general path.
    #[inline(never)]
    pub(super) fn run(self) -> (Group, Option<Ran>) {
        self.simd.vectorize(self)
    }
}

struct RunPosition<'f> {
    pc: u32,
    /// The next stop: the end of the running path, or else the group's reconvergence point (if it is not before `pc`) or the
    /// instruction at which a pause or the limit is due.
    stop: u32,
    /// The paths of a hammock, while one of them runs.
    paths: Option<Paths<'f>>,
    /// Why the interpreter loop returns when the run ends; `None` if the next instruction needs the general path.
    exit: Option<LoopExit>,
}

/// What follows an instruction.
enum Next {
    Continue,
    /// The next group must be chosen.
    Choose,
    Leave,
}

impl<S: Simd> NullaryFnOnce for QuickRun<'_, '_, S> {
    type Output = (Group, Option<Ran>);

    #[inline(always)]
    fn call(mut self) -> (Group, Option<Ran>) {
        let mut at = RunPosition { pc: 0, stop: 0, paths: None, exit: None };
        self.go_on(&mut at, self.group.pc);
        loop {
            match self.step(&mut at) {
                Next::Continue => continue,
                Next::Leave => break,
                Next::Choose => {}
            }
            if let Err(chosen) = self.choose(&mut at) {
                at.exit = Some(LoopExit::Next(chosen));
                break;
            }
        }
        self.group.pc = at.pc;
        (self.group, at.exit.map(Ran::Exit))
    }
}

impl<'r, S: Simd> QuickRun<'r, '_, S> {
    /// Continues the group at `pc`.
    #[inline(always)]
    fn go_on(&self, at: &mut RunPosition<'r>, pc: u32) {
        let (clock, until) = (self.ctx.clock, self.group.until);
        at.pc = pc;
        at.stop = if self.limits.are_near(clock) {
            self.limits.stop(clock, pc, until)
        } else if until >= pc {
            until
        } else {
            u32::MAX
        };
    }

    /// Continues with the next group, or returns that group.
    #[inline(always)]
    fn choose(&mut self, at: &mut RunPosition<'r>) -> Result<(), Option<Group>> {
        self.group = choose(self.groups, self.group.frame, self.ctx.live, self.launch)?;
        self.visits.continue_with(self.group.mask, self.group.pc);
        self.go_on(at, self.group.pc);
        Ok(())
    }

    /// Runs to the next guard, control instruction or stop, then executes that instruction.
    #[inline(always)]
    fn step(&mut self, at: &mut RunPosition<'r>) -> Next {
        if !self.straight(at) {
            if let Some(paths) = at.paths {
                self.group = paths.part(self.group, self.groups, self.ctx.live, self.launch);
            }
            Next::Leave
        } else if at.paths.is_some() {
            self.next_path(at)
        } else if at.pc < at.stop {
            self.guarded(at)
        } else if at.pc == self.group.until {
            self.visits.up_to(at.pc);
            self.groups.go_on(at.pc);
            Next::Choose
        } else {
            Next::Leave
        }
    }

    /// Runs to the next guard, control instruction or stop; `false` if an instruction before it needs the general path.
    #[inline(always)]
    fn straight(&mut self, at: &mut RunPosition<'r>) -> bool {
        let first = at.pc;
        let end = self.function.straight_runs[first as usize].min(at.stop);
        let mask = &self.visits.mask;
        at.pc = straight(self.simd, self.function, (first, end), self.registers, self.ctx, mask);
        if at.pc != first {
            self.ctx.clock += u64::from(at.pc - first);
            begin(self.function, at.pc - 1, self.ctx, self.group.mask);
        }
        at.pc >= end
    }

    /// Ends the running path of a hammock.
    #[inline(always)]
    fn next_path(&mut self, at: &mut RunPosition<'r>) -> Next {
        let Some(paths) = &mut at.paths else { return Next::Leave };
        let next = paths.next(self.visits, &mut self.ctx.clock);
        (at.pc, at.stop, self.group.mask) = (next.first, next.end, next.mask);
        self.visits.continue_with(next.mask, next.first);
        if !next.is_join {
            return Next::Continue;
        }
        paths.rejoin(self.groups);
        at.paths = None;
        self.go_on(at, next.first);
        Next::Continue
    }

    /// Runs a guarded instruction or a branch.
    #[inline(always)]
    fn guarded(&mut self, at: &mut RunPosition<'r>) -> Next {
        let (function, pc) = (self.function, at.pc);
        let Some(instruction) = function.code.get(pc as usize) else { return Next::Leave };
        let executed = instruction.guard.of(&self.registers.predicates, self.group.mask);
        if let Op::Branch(is_uniform) = instruction.op {
            return self.branch(at, instruction, executed, is_uniform);
        }
        if !guarded(self.simd, function, pc, self.registers, self.ctx, executed) {
            return Next::Leave;
        }
        if executed != self.group.mask {
            self.visits.through(pc, executed);
        }
        self.ctx.clock += 1;
        at.pc += 1;
        Next::Continue
    }

    /// Each of the three outcomes records its own visit: distinguishing them a second time would take more instructions.
    #[inline(always)]
    fn branch(
        &mut self,
        at: &mut RunPosition<'r>,
        branch: &Instruction,
        taken: u32,
        is_uniform: bool,
    ) -> Next {
        let (pc, target, next) = (at.pc, branch.s.a, at.pc + 1);
        let not_taken = self.group.mask & !taken;
        if taken == 0 {
            self.visits.through(pc, 0);
            self.ctx.clock += 1;
            // `stop` stays valid: the limit has not moved, and a pause may wait for the next taken branch.
            at.pc = next;
            return if self.group.alone { Next::Continue } else { leave(at, LoopExit::Turn { from: pc }) };
        }
        if not_taken != 0 {
            if is_uniform || target == next {
                return Next::Leave;
            }
            self.visits.through(pc, taken);
            self.ctx.clock += 1;
            return self.diverge(at, branch, [(target, taken), (next, not_taken)]);
        }
        self.visits.through(pc, self.visits.mask);
        self.visits.start = target;
        self.ctx.clock += 1;
        match branched((pc, target), self.group.alone, self.registers, self.spin) {
            None => {
                self.go_on(at, target);
                Next::Continue
            }
            Some(exit) => {
                at.pc = target;
                leave(at, exit)
            }
        }
    }

    #[inline(always)]
    fn diverge(&mut self, at: &mut RunPosition<'r>, branch: &Instruction, parts: [(u32, u32); 2]) -> Next {
        let [(_, taken), (_, not_taken)] = parts;
        self.divergences.record(self.function.first_statement + at.pc, [taken, not_taken]);
        self.spin.end_watch();
        let join = self.launch.plan.join(branch);
        if let Some(number) = branch.hammock()
            && let Some(paths) = Paths::of(&self.function.hammocks[number], parts, join, self.groups)
            && self.limits.hold(self.ctx.clock + u64::from(paths.hammock.len()))
        {
            let first = paths.running();
            (at.pc, at.stop, self.group.mask) = (first.first, first.end, first.mask);
            self.visits.continue_with(first.mask, first.first);
            at.paths = Some(paths);
            return Next::Continue;
        }
        self.groups.diverge(&parts, join);
        Next::Choose
    }
}

/// Ends the run and the interpreter loop.
#[cold]
fn leave(at: &mut RunPosition<'_>, exit: LoopExit) -> Next {
    at.exit = Some(exit);
    Next::Leave
}

/// Runs a range without control flow and guards, up to the first instruction that is not frequent; returns its position, or
/// the end. `mask` is passed by reference: for a local copy the compiler builds lane vectors on entry, and few runs use
/// them.
#[inline(always)]
fn straight<S: Simd>(
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
    simd.vectorize(Guarded { simd, function, pc, registers, ctx, mask })
}

struct Guarded<'r, 'w, S> {
    simd: S,
    function: &'r Function,
    pc: u32,
    registers: &'r mut Registers,
    ctx: &'r mut ExecContext<'w>,
    mask: u32,
}

impl<S: Simd> NullaryFnOnce for Guarded<'_, '_, S> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Guarded { simd, function, pc, registers, ctx, mask } = self;
        if function.code[pc as usize].op.is_control() {
            return false;
        }
        if mask == 0 {
            return true;
        }
        let has_run = straight(simd, function, (pc, pc + 1), registers, ctx, &mask) != pc;
        if has_run {
            begin(function, pc, ctx, mask);
        }
        has_run
    }
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
