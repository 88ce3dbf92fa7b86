//! The inner loop: instructions of one group, until who runs next must be decided.
//!
//! It is compiled for several instruction sets of the host, and the best that the processor has is chosen when it runs. So
//! that what it calls is compiled with it, everything hot below it is inlined, whatever its size; a function that is not, is
//! what the oldest processor would run.

use pulp::Simd;

use super::execute::{Surroundings, execute};
use super::fault::{Awaited, Fault, Trouble};
use super::frame::Frame;
use super::groups::Group;
use super::launch::Journal;
use super::probe::Probe;
use super::spaces::Spaces;
use super::warp::Warp;
use super::watch::Undefined;
use crate::ptx::program::{Function, Op};
use crate::record::Recorder;
use crate::trace::StatementId;

/// Why the loop over instructions of a group ended.
pub(crate) enum Event {
    /// The group is where it meets others.
    Met,
    /// There is no instruction left in the function.
    FellOff,
    /// It is time to ask the caller whether to go on.
    Due,
    /// It took the branch `from`, and somebody else may come first.
    Turn { from: u32 },
    /// Time to look whether this goes anywhere.
    Look { from: u32 },
    /// The instruction decides who runs next.
    Control { executed: u32 },
    /// Memory refused.
    Fault(Fault),
    /// The instruction before waits for others.
    Yield(Option<Awaited>),
}

impl Warp {
    /// Runs a group until it meets others or comes to an instruction that decides who runs next.
    #[inline(always)]
    pub(crate) fn straight<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        function: &Function,
        spaces: &mut Spaces,
        journal: &mut Journal,
    ) -> (u32, Event) {
        let warp = self;
        let Group { mut pc, until, mask, frame, alone, .. } = group;
        let Some(frame) = &mut warp.frames[frame as usize] else { return (pc, Event::FellOff) };
        let code = function.code.as_slice();
        let mut visits =
            Visits { recorder: &mut warp.recorder, first: function.first_statement, mask, start: pc };
        let mut watch = journal.watch.take();
        if watch.as_ref().is_some_and(|watch| watch.follows_values()) {
            frame.undefined.get_or_insert_with(|| Box::new(Undefined::new(function)));
        }
        let mut around = Surroundings {
            spaces,
            local: &mut warp.local,
            frame_base: frame.local_base,
            carry: &mut warp.carry,
            live: warp.live,
            clock: journal.steps,
            watch: watch.as_deref_mut(),
        };
        let mut stop = stop(pc, until, code.len(), journal, around.clock);
        let event = loop {
            if pc >= stop {
                visits.up_to(pc);
                break match code.get(pc as usize) {
                    _ if pc == until => Event::Met,
                    None => Event::FellOff,
                    Some(_) => Event::Due,
                };
            }
            let instruction = &code[pc as usize];
            let executed = instruction.guard.of(&frame.registers.predicates, mask);
            around.clock += 1;
            if executed != mask {
                visits.of_some(pc, executed);
            }
            if instruction.op.is_control() {
                visits.up_to(pc + 1);
                if frame.written.is_some() {
                    note(function, pc, (mask, executed), frame, &mut warp.probe, journal);
                }
                if let Some((watch, undefined)) = around.watch.as_mut().zip(some(&mut frame.undefined)) {
                    watch.values(undefined, function, pc, mask, executed);
                    watch.tell(StatementId(function.first_statement + pc), visits.recorder, journal);
                }
                if !matches!(instruction.op, Op::Branch(_)) || executed != mask && executed != 0 {
                    break Event::Control { executed };
                }
                let target = if executed == 0 { pc + 1 } else { instruction.s.a };
                let (from, backward) = (pc, target <= pc);
                pc = target;
                if backward && warp.spin.backward(around.spaces.changes) {
                    break Event::Look { from };
                }
                if !alone {
                    break Event::Turn { from };
                }
                visits.start = pc;
                stop = self::stop(pc, until, code.len(), journal, around.clock);
                continue;
            }
            pc += 1;
            if executed == 0 {
                if frame.written.is_some() {
                    note(function, pc - 1, (mask, executed), frame, &mut warp.probe, journal);
                }
                if let Some((watch, undefined)) = around.watch.as_mut().zip(some(&mut frame.undefined)) {
                    watch.values(undefined, function, pc - 1, mask, executed);
                    watch.tell(StatementId(function.first_statement + pc - 1), visits.recorder, journal);
                }
                continue;
            }
            if let Some(watch) = &mut around.watch {
                let statement = StatementId(function.first_statement + pc - 1);
                let order = function.orders[pc as usize - 1];
                watch.begin(statement, order, warp.reporter.warp, around.live, executed);
                if let Some(undefined) = some(&mut frame.undefined) {
                    watch.values(undefined, function, pc - 1, mask, executed);
                }
                watch.divides(instruction, &frame.registers, executed);
            }
            let done = execute(simd, instruction, function, &mut frame.registers, &mut around, executed);
            let mut yields = None;
            if let Err(trouble) = done {
                match *trouble {
                    Trouble::Fault(fault) => {
                        visits.up_to(pc);
                        pc -= 1;
                        if frame.written.is_some() {
                            note(function, pc, (mask, 0), frame, &mut warp.probe, journal);
                        }
                        break Event::Fault(fault);
                    }
                    Trouble::Complaint(complaint) => {
                        let statement = function.first_statement + pc - 1;
                        journal.report(warp.reporter.complaint(complaint, statement));
                    }
                    Trouble::Yield(what) => yields = Some(what),
                }
            }
            if let Some(watch) = &mut around.watch {
                if let Some(undefined) = &mut frame.undefined {
                    watch.loaded(undefined, function, pc - 1);
                }
                watch.tell(StatementId(function.first_statement + pc - 1), visits.recorder, journal);
            }
            if frame.written.is_some() {
                note(function, pc - 1, (mask, executed), frame, &mut warp.probe, journal);
            }
            if let Some(awaited) = yields {
                visits.up_to(pc);
                break Event::Yield(awaited);
            }
        };
        journal.steps = around.clock;
        journal.watch = watch;
        (pc, event)
    }
}

/// The undefined values, if there are any.
#[inline(always)]
fn some(undefined: &mut Option<Box<Undefined>>) -> Option<&mut Undefined> {
    undefined.as_deref_mut().filter(|undefined| !undefined.is_empty())
}

/// Where a group that goes on at `pc` must stop at the latest: where it meets others, at the end, or when the caller wants to
/// be asked.
#[inline(always)]
fn stop(pc: u32, until: u32, end: usize, journal: &Journal, clock: u64) -> u32 {
    // A pause can wait for the next branch, so that it does not cut runs of statements in two; the limit cannot.
    if clock >= journal.pause_at {
        return pc;
    }
    let due = u64::from(pc) + journal.limit.saturating_sub(clock);
    let end = due.min(end as u64) as u32;
    if until >= pc { until.min(end) } else { end }
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
