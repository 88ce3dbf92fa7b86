//! One wave and what it runs in. What it does stands beside: `straight` has the operations that move no lanes, `control` those
//! that do, `told` what it has to say.

use pulp::Arch;

use crate::record::Recorder;
use crate::trace::{Finding, Mask, RegisterValues, StatementId};

use super::frames::Frames;
use super::meetings::Meetings;
use super::memory::Memory;
use super::probe::Probe;
use super::program::{Program, Row};
use super::spin::SpinWatch;
use super::stage::Fault;
use super::state::{Geometry, State};
use super::straight::Running;
use super::watch::{GroupWatch, Watch, WaveWatch};

/// What a wave runs in.
pub(crate) struct Surroundings<'s> {
    pub(crate) program: &'s Program,
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) memory: Memory<'s>,
    /// Visits of the whole launch so far.
    pub(crate) steps: &'s mut u64,
    /// When to stop and ask the caller, in steps. It can wait for the end of a straight run.
    pub(crate) pause: u64,
    /// The most steps of the launch.
    pub(crate) limit: u64,
    /// The instruction set of the host.
    pub(crate) arch: Arch,
    /// Who watches, if somebody does, and what is known of the workgroup.
    pub(crate) watch: Option<(&'s mut Watch, &'s mut GroupWatch)>,
    pub(crate) findings: &'s mut Vec<Finding>,
    pub(crate) max_findings: usize,
}

impl Surroundings<'_> {
    /// Adds a finding, unless the same wave found the same at the same place.
    pub(super) fn push(&mut self, finding: Finding) {
        let key = |finding: &Finding| (finding.code, finding.statement, finding.cta, finding.warp);
        let same = |old: &Finding| key(old) == key(&finding);
        if self.findings.len() < self.max_findings && !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
    }

    /// Adds what the watch has found.
    pub(super) fn tell(&mut self, news: Vec<Finding>) {
        let room = self.max_findings.saturating_sub(self.findings.len());
        self.findings.extend(news.into_iter().take(room));
    }
}

/// Why a wave stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// No lane is left.
    Ended,
    /// It waits at a barrier.
    Barrier,
    /// It goes round in a loop until memory changes.
    Spinning,
    /// The steps that it was given are used up.
    Paused,
    /// Everything that somebody wanted to see of it was seen.
    Looked,
}

/// A wave.
#[derive(Debug)]
pub(crate) struct Wave<const W: usize> {
    pub(crate) index: u32,
    pub(crate) launched: Mask,
    /// Lanes that have not ended.
    pub(super) live: Mask,
    pub(super) active: Mask,
    pub(super) pc: u32,
    pub(super) state: State<W>,
    pub(super) frames: Frames,
    pub(crate) recorder: Recorder,
    pub(super) spin: SpinWatch<W>,
    /// Who met where, if the wave is listed.
    pub(crate) meetings: Option<Box<Meetings>>,
    /// What is seen of it, where it is looked at.
    pub(crate) probe: Option<Box<Probe>>,
    /// What is known of it, where it is watched.
    pub(crate) watched: Option<Box<WaveWatch>>,
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
        let mut state = State::new(program.rows());
        let rows = &mut state.rows;
        for &(register, value) in
            registers.iter().filter(|(register, _)| u16::from(*register) < program.registers)
        {
            rows.fill(Row::from(register), value);
        }
        for (row, value) in (Program::first_constant(program.registers)..).zip(&program.constants) {
            rows.fill(row, *value);
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
            spin: SpinWatch::default(),
            meetings: None,
            probe: None,
            watched: None,
        }
    }

    /// Runs until something stops the wave.
    pub(crate) fn run(&mut self, around: &mut Surroundings<'_>) -> Result<Stop, Fault> {
        around.arch.dispatch(Running { wave: self, around })
    }

    /// The registers as they stand, in every lane of the wave.
    pub(crate) fn registers(&self, program: &Program, width: u32) -> Vec<RegisterValues> {
        self.state.registers(program.registers, width)
    }

    /// Where the wave waits, and which lanes are there: at the loop that it goes round in, or at the barrier that it has come to.
    pub(crate) fn place(&self, spins: bool) -> (StatementId, Mask) {
        // It stands behind the barrier already.
        let barrier = self.pc.saturating_sub(1);
        let around = self.frames.innermost_loop().filter(|_| spins);
        (StatementId(around.unwrap_or(barrier)), self.active)
    }
}
