//! The inner loop: instructions of one group, and of those whose turn comes then, until more must be decided than that.
//!
//! Most instructions have no guard and only compute; these are run in stretches, of which nothing is asked but where they
//! end. It is compiled for several instruction sets of the host, and the best that the processor has is chosen when it runs.
//! So that what it calls is compiled with it, everything hot below it is inlined, whatever its size; a function that is not,
//! is what the oldest processor would run.

use pulp::Simd;

use super::execute::{Surroundings, execute};
use super::frame::Frame;
use super::spin::SpinWatch;
use super::value_tracer::Probe;
use super::warp::Warp;
use crate::ptx::engine::divergence::groups::{Group, Groups};
use crate::ptx::engine::fault::{Awaited, Fault, Trouble};
use crate::ptx::engine::launch::{Journal, Launch, Reporter};
use crate::ptx::engine::memory::spaces::Spaces;
use crate::ptx::engine::sanitizer::Undefined;
use crate::ptx::program::{Function, Instruction, Op};
use crate::record::Recorder;
use crate::trace::StatementId;

/// Why the loop over instructions ended.
pub(crate) enum Event {
    /// Who runs next is decided: nobody, or a group with which more has changed than that.
    Next(Option<Group>),
    /// There is no instruction left in the function.
    FellOff,
    /// It is time to ask the caller whether to go on.
    Due,
    /// It took the branch `from`, and somebody else may come first.
    Turn { from: u32 },
    /// Time to look whether this goes anywhere.
    CheckSpin { from: u32 },
    /// The instruction decides who runs next.
    Control { executed: u32 },
    /// Memory refused.
    Fault(Fault),
    /// The instruction before waits for others.
    Yield(Option<Awaited>),
}

impl Warp {
    /// Runs a group, and those whose turn comes then in the same call, up to an instruction that changes more than who runs
    /// next; gives the group that ran last, where it stopped.
    #[inline(always)]
    pub(crate) fn straight<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        function: &Function,
        launch: &Launch<'_>,
        spaces: &mut Spaces,
        journal: &mut Journal,
    ) -> (Group, Event) {
        let Some(frame) = &mut self.frames[group.frame as usize] else { return (group, Event::FellOff) };
        let mut watch = journal.watch.take();
        if watch.as_ref().is_some_and(|watch| watch.follows_values()) {
            frame.undefined.get_or_insert_with(|| Box::new(Undefined::new(function)));
        }
        let around = Surroundings {
            spaces,
            local: &mut self.local,
            frame_base: frame.local_base,
            carry: &mut self.carry,
            live: self.live,
            clock: journal.steps,
            watch: watch.as_deref_mut(),
        };
        let mut running = Running {
            function,
            looked_at: around.watch.is_some() || frame.written.is_some(),
            visits: Visits {
                recorder: &mut self.recorder,
                first: function.first_statement,
                mask: group.mask,
                start: group.pc,
            },
            frame,
            around,
            reporter: self.reporter,
            probe: &mut self.probe,
            journal,
        };
        let mut group = group;
        let event = loop {
            if let Some(event) = running.go(simd, &mut group, &mut self.groups, &mut self.spin, launch) {
                break event;
            }
            // The group has stopped, and whose turn comes now goes on here if that is all that has changed.
            match self.groups.next(self.live, &launch.plan) {
                Some(next) if next.frame == group.frame && !next.asks && !self.groups.has_news() => {
                    group = next;
                    running.visits.begin(&group);
                }
                next => break Event::Next(next),
            }
        };
        journal.steps = running.around.clock;
        journal.watch = watch;
        (group, event)
    }
}

/// A group that runs, and all that it runs in.
struct Running<'w> {
    function: &'w Function,
    frame: &'w mut Frame,
    around: Surroundings<'w>,
    visits: Visits<'w>,
    /// Whether anybody wants to know of each instruction.
    looked_at: bool,
    reporter: Reporter,
    probe: &'w mut Option<Box<Probe>>,
    journal: &'w mut Journal,
}

impl Running<'_> {
    /// Runs a group until it meets others or parts, and `None` is given, or something else happens.
    #[inline(always)]
    fn go<S: Simd>(
        &mut self,
        simd: S,
        group: &mut Group,
        groups: &mut Groups,
        spin: &mut SpinWatch,
        launch: &Launch<'_>,
    ) -> Option<Event> {
        let Group { until, mask, alone, .. } = *group;
        let mut pc = group.pc;
        let function = self.function;
        let mut stop = self.stop(pc, until);
        let event = 'runs: loop {
            let mut executed = mask;
            let mut end = function.stretches[pc as usize].min(stop);
            if pc == end {
                if pc >= stop {
                    self.visits.up_to(pc);
                    if pc == until {
                        groups.go_on(pc);
                        break None;
                    }
                    let more = (pc as usize) < function.code.len();
                    break Some(if more { Event::Due } else { Event::FellOff });
                }
                let instruction = &function.code[pc as usize];
                executed = instruction.guard.of(&self.frame.registers.predicates, mask);
                if executed != mask {
                    self.visits.of_some(pc, executed);
                }
                end = pc + 1;
                if instruction.op.is_control() {
                    self.pass(pc, executed);
                    self.visits.up_to(end);
                    match instruction.op {
                        Op::Branch(_) if executed == mask || executed == 0 => {
                            let from = pc;
                            pc = if executed == 0 { end } else { instruction.s.a };
                            if pc <= from && spin.backward(self.around.spaces.changes) {
                                break Some(Event::CheckSpin { from });
                            }
                            if !alone {
                                break Some(Event::Turn { from });
                            }
                            self.visits.start = pc;
                            stop = self.stop(pc, until);
                            continue;
                        }
                        Op::Branch(false) if instruction.s.a != end => {
                            let sides = [(instruction.s.a, executed), (end, mask & !executed)];
                            groups.part(&sides, launch.plan.join(instruction));
                            break None;
                        }
                        _ => break Some(Event::Control { executed }),
                    }
                }
                if executed == 0 {
                    self.pass(pc, executed);
                    pc = end;
                    continue;
                }
            }
            for instruction in &function.code[pc as usize..end as usize] {
                if let Err(trouble) = self.step(simd, instruction, pc, executed)
                    && let Some(event) = self.trouble(*trouble, pc, executed)
                {
                    pc += u32::from(!matches!(event, Event::Fault(_)));
                    break 'runs Some(event);
                }
                pc += 1;
            }
        };
        group.pc = pc;
        event
    }

    /// Runs the instruction at `pc` in the lanes of `executed`.
    #[inline(always)]
    fn step<S: Simd>(
        &mut self,
        simd: S,
        instruction: &Instruction,
        pc: u32,
        executed: u32,
    ) -> Result<(), Box<Trouble>> {
        self.around.clock += 1;
        if self.looked_at {
            self.before(instruction, pc, executed);
        }
        let registers = &mut self.frame.registers;
        execute(simd, instruction, self.function, registers, &mut self.around, executed)?;
        if self.looked_at {
            self.after(pc, executed);
        }
        Ok(())
    }

    /// An instruction was not as it should be.
    #[cold]
    #[inline(never)]
    fn trouble(&mut self, trouble: Trouble, pc: u32, executed: u32) -> Option<Event> {
        let awaited = match trouble {
            Trouble::Fault(fault) => {
                self.visits.up_to(pc + 1);
                self.note(pc, 0);
                return Some(Event::Fault(fault));
            }
            Trouble::Complaint(complaint) => {
                let statement = self.function.first_statement + pc;
                self.journal.report(self.reporter.complaint(complaint, statement));
                None
            }
            Trouble::Yield(what) => Some(what),
        };
        self.after(pc, executed);
        let awaited = awaited?;
        self.visits.up_to(pc + 1);
        Some(Event::Yield(awaited))
    }

    /// Comes to an instruction that decides who runs next, or that no lane executes.
    #[inline(always)]
    fn pass(&mut self, pc: u32, executed: u32) {
        self.around.clock += 1;
        if self.looked_at {
            self.note(pc, executed);
            self.values(pc, executed);
            self.tell(pc);
        }
    }

    fn before(&mut self, instruction: &Instruction, pc: u32, executed: u32) {
        if let Some(watch) = &mut self.around.watch {
            let statement = StatementId(self.function.first_statement + pc);
            let order = self.function.orders[pc as usize];
            watch.begin(statement, order, self.reporter.warp, self.around.live, executed);
        }
        self.values(pc, executed);
        if let Some(watch) = &mut self.around.watch {
            watch.divides(instruction, &self.frame.registers, executed);
        }
    }

    fn after(&mut self, pc: u32, executed: u32) {
        if let Some((watch, undefined)) = self.around.watch.as_mut().zip(self.frame.undefined.as_mut()) {
            watch.loaded(undefined, self.function, pc);
        }
        self.tell(pc);
        self.note(pc, executed);
    }

    /// Follows undefined values, if there are any.
    fn values(&mut self, pc: u32, executed: u32) {
        let undefined = self.frame.undefined.as_deref_mut().filter(|undefined| !undefined.is_empty());
        if let Some((watch, undefined)) = self.around.watch.as_mut().zip(undefined) {
            watch.values(undefined, self.function, pc, self.visits.mask, executed);
        }
    }

    fn tell(&mut self, pc: u32) {
        if let Some(watch) = &mut self.around.watch {
            let statement = StatementId(self.function.first_statement + pc);
            watch.tell(statement, self.visits.recorder, self.journal);
        }
    }

    /// Notes which lanes have written what, and where the warp is looked at, what they see.
    fn note(&mut self, pc: u32, executed: u32) {
        if self.frame.written.is_some() {
            note(self.function, pc, (self.visits.mask, executed), self.frame, self.probe, self.journal);
        }
    }

    /// Where a group that goes on at `pc` must stop at the latest: where it meets others, at the end, or when the caller wants
    /// to be asked.
    #[inline(always)]
    fn stop(&self, pc: u32, until: u32) -> u32 {
        let clock = self.around.clock;
        // A pause can wait for the next branch, so that it does not cut runs of statements in two; the limit cannot.
        if clock >= self.journal.pause_at {
            return pc;
        }
        let due = self.journal.limit.saturating_sub(clock).saturating_add(pc.into());
        let end = due.min(self.function.code.len() as u64) as u32;
        if until >= pc { until.min(end) } else { end }
    }
}

/// Visits that are not recorded yet: of the instructions from `start` on, each by all lanes of the group.
struct Visits<'w> {
    recorder: &'w mut Recorder,
    /// The function's first statement.
    first: u32,
    mask: u32,
    start: u32,
}

impl Visits<'_> {
    /// Another group runs.
    #[inline(always)]
    fn begin(&mut self, group: &Group) {
        (self.mask, self.start) = (group.mask, group.pc);
    }

    /// Records the instructions before `pc`.
    #[inline(always)]
    fn up_to(&mut self, pc: u32) {
        let mask = self.mask.into();
        self.recorder.visit_run(self.first + self.start, self.first + pc, mask, mask);
        self.start = pc;
    }

    /// Records the instructions before `pc`, and the one there, which only some lanes execute.
    #[inline(always)]
    fn of_some(&mut self, pc: u32, executed: u32) {
        self.up_to(pc);
        let statement = self.first + pc;
        self.recorder.visit_run(statement, statement + 1, self.mask.into(), executed.into());
        self.start = pc + 1;
    }
}

/// Notes which lanes have written what, and where the warp is looked at, what they see.
#[cold]
pub(crate) fn note(
    function: &Function,
    pc: u32,
    (active, executed): (u32, u32),
    frame: &mut Frame,
    probe: &mut Option<Box<Probe>>,
    journal: &mut Journal,
) {
    if let Some(written) = &mut frame.written {
        for &register in function.writes_of(pc) {
            written[register as usize] |= executed;
        }
    }
    if let Some(probe) = probe
        && probe.visited(function, pc, (active, executed), frame)
    {
        journal.stop_looking();
    }
}
