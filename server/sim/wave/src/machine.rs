//! The state of one wave and its execution context. `interpreter_loop` executes the operations that keep the
//! active lanes, `control` the ones that change them, and `reports` creates the findings.

use std::ops::Range;

use warplens_sim_warp::order_log::OrderLog;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::schedule::Scheduler;
use warplens_sim_warp::trace::{Finding, Mask, RegisterValues, StatementId};

use super::frames::Frames;
use super::further_faults::{FurtherFaults, UnknownRegisters};
use super::memory::Memory;
use super::program::Program;
use super::reconvergences::Reconvergences;
use super::sanitizer::{GroupShadow, Sanitizer, WaveShadow};
use super::spin::SpinDetector;
use super::state::{Geometry, State};
use super::value_tracer::ValueTracer;

pub(crate) struct ExecContext<'s> {
    pub(crate) program: &'s Program,
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) memory: Memory<'s>,
    /// How many visits the whole launch has had so far.
    pub(crate) steps: &'s mut u64,
    /// The step at which to poll the caller, at the next end of a straight-line run.
    pub(crate) pause: u64,
    /// The step limit, less what was charged for operations that count as several steps.
    pub(crate) limit: u64,
    /// The sanitizer and the workgroup's shadow state, if checks are enabled.
    pub(crate) sanitizer: Option<(&'s mut Sanitizer, &'s mut GroupShadow)>,
    /// The search for further faults, while the run goes on only for them.
    pub(crate) further: Option<&'s mut FurtherFaults>,
    /// The choices of a schedule other than the default one.
    pub(crate) scheduler: Option<&'s mut Scheduler>,
    pub(crate) order_log: Option<&'s mut OrderLog>,
    pub(crate) findings: &'s mut Vec<Finding>,
    pub(crate) max_findings: usize,
}

impl ExecContext<'_> {
    /// Counts an operation as this many further steps.
    #[inline(always)]
    pub(super) fn charge(&mut self, steps: u64) {
        self.limit = self.limit.saturating_sub(steps);
        self.pause = self.pause.min(self.limit);
    }

    /// Adds a finding, unless the wave already has the same finding at this statement.
    pub(super) fn push(&mut self, finding: Finding) {
        if self.further.is_some() {
            return;
        }
        let key = |finding: &Finding| (finding.kind, finding.statement, finding.cta, finding.warp);
        let same = |old: &Finding| key(old) == key(&finding);
        if self.findings.len() < self.max_findings && !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
    }

    /// Adds the sanitizer's findings about a visit of a statement.
    pub(super) fn add_findings(&mut self, findings: Vec<Finding>, visit: impl Fn() -> u64) {
        let capacity = self.max_findings.saturating_sub(self.findings.len());
        let numbered = |finding| Finding { visit: Some(visit()), ..finding };
        self.findings.extend(findings.into_iter().take(capacity).map(numbered));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Exited,
    Barrier,
    /// The wave repeats a loop until memory changes.
    Spinning,
    /// The wave polls memory in a loop that may also end in another way.
    Polling,
    /// The wave reached [`ExecContext::pause`].
    Paused,
    /// In a run under a schedule: the wave is before a statement at which the order of threads matters.
    Preempted,
    Traced,
}

#[derive(Clone, Debug)]
pub(crate) struct Wave<const W: usize> {
    pub(crate) index: u32,
    pub(crate) launched: Mask,
    /// Lanes that have not exited.
    pub(super) live: Mask,
    pub(super) active: Mask,
    pub(super) pc: u32,
    pub(super) state: State<W>,
    pub(super) frames: Frames,
    pub(crate) recorder: Recorder,
    /// Statements whose latest visit, by all active lanes, is not yet in the recorder.
    pub(super) unrecorded: Range<u32>,
    pub(super) spin: SpinDetector<W>,
    /// Recorded if the wave is listed.
    pub(crate) reconvergences: Option<Box<Reconvergences>>,
    pub(crate) tracer: Option<Box<ValueTracer>>,
    /// The shadow state, if checks are enabled.
    pub(crate) shadow: Option<Box<WaveShadow>>,
    /// The registers that depend on skipped accesses, once there are any.
    pub(super) unknown: Option<Box<UnknownRegisters>>,
}

impl<const W: usize> Wave<W> {
    /// Wave `index` of a workgroup at the start of `program`, with `registers` set in every lane.
    pub(crate) fn new(
        program: &Program,
        geometry: Geometry,
        index: u32,
        registers: &[(u8, u32)],
        recorder: Recorder,
    ) -> Self {
        let launched = geometry.launched(index);
        let mut state = State::new(program.rows(), program.registers, registers);
        for (row, value) in (Program::first_constant(program.registers)..).zip(&program.constants) {
            state.rows.fill(row, *value);
        }
        Wave {
            index,
            launched,
            live: launched,
            active: launched,
            pc: 0,
            state,
            frames: Frames::default(),
            recorder,
            unrecorded: 0..0,
            spin: SpinDetector::default(),
            reconvergences: None,
            tracer: None,
            shadow: None,
            unknown: None,
        }
    }

    /// The current registers in every lane of the wave.
    pub(crate) fn registers(&self, program: &Program, width: u32) -> Vec<RegisterValues> {
        self.state.registers(program.registers, width)
    }

    /// The statement at which the wave is blocked, which is the loop that it repeats or the barrier, and its
    /// active lanes.
    pub(crate) fn blocked_at(&self, spins: bool) -> (StatementId, Mask) {
        // The program counter is already after the barrier.
        let barrier = self.pc.saturating_sub(1);
        let spinning_loop = self.frames.innermost_loop().filter(|_| spins);
        (StatementId(spinning_loop.unwrap_or(barrier)), self.active)
    }
}
