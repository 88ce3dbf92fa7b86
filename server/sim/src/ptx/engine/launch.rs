//! What does not change while a launch runs, and what all its warps share.

use pulp::Arch;
use rustc_hash::FxHashSet;

use super::fault::Fault;
use super::groups::Plan;
use crate::ptx::program::Program;
use crate::ptx::registers::{Lanes, WIDTH};
use crate::trace::{Finding, Related, RunOptions, Severity, StatementId};

/// The launch as every warp sees it.
pub(crate) struct Launch<'p> {
    pub(crate) program: &'p Program,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) plan: Plan,
    pub(crate) options: RunOptions,
    /// The instruction set of the host that the inner loop uses.
    pub(crate) arch: Arch,
}

/// Where a warp is in the launch, as special registers tell it.
pub(crate) struct Threads {
    pub(crate) ids: [Lanes<u32>; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cta: [u32; 3],
    pub(crate) warp: u32,
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
}

impl Threads {
    pub(crate) fn new(launch: &Launch<'_>, cta: [u32; 3], warp: u32) -> Threads {
        let [x, y, _] = launch.block;
        let linear = |lane: usize| warp * WIDTH as u32 + lane as u32;
        Threads {
            ids: [
                std::array::from_fn(|lane| linear(lane) % x),
                std::array::from_fn(|lane| linear(lane) / x % y),
                std::array::from_fn(|lane| linear(lane) / x / y),
            ],
            grid: launch.grid,
            block: launch.block,
            cta,
            warp,
            dynamic_shared: launch.dynamic_shared,
            total_shared: launch.program.shared_size + launch.dynamic_shared,
        }
    }

    /// The lanes that exist.
    pub(crate) fn launched(&self) -> u32 {
        let threads = self.block.iter().product::<u32>();
        match threads - self.warp * WIDTH as u32 {
            0 => 0,
            count @ 1..=31 => (1 << count) - 1,
            _ => u32::MAX,
        }
    }
}

/// What the run has counted and found so far.
pub(crate) struct Journal {
    /// Warp instructions.
    pub(crate) steps: u64,
    /// Where the next pause for the caller is due.
    pub(crate) pause_at: u64,
    /// Visits that may still be kept.
    pub(crate) visits: usize,
    /// Warps whose visits are kept.
    pub(crate) listed: usize,
    pub(crate) findings: Vec<Finding>,
    seen: FxHashSet<(&'static str, Option<StatementId>, [u32; 3], u32)>,
    most: usize,
}

impl Journal {
    pub(crate) fn new(options: &RunOptions) -> Journal {
        let limits = &options.limits;
        Journal {
            steps: 0,
            pause_at: 0,
            visits: limits.max_trace_visits,
            listed: 0,
            findings: Vec::new(),
            seen: FxHashSet::default(),
            most: limits.max_findings,
        }
    }

    /// Keeps a finding, once for a statement of a warp.
    pub(crate) fn report(&mut self, finding: Finding) {
        let key = (finding.code, finding.statement, finding.cta, finding.warp);
        if self.findings.len() < self.most && self.seen.insert(key) {
            self.findings.push(finding);
        }
    }
}

/// Who a finding is about.
#[derive(Clone, Copy)]
pub(crate) struct Reporter {
    pub(crate) cta: [u32; 3],
    pub(crate) warp: u32,
}

impl Reporter {
    pub(crate) fn finding(
        self,
        code: &'static str,
        severity: Severity,
        message: String,
        statement: u32,
        lanes: u32,
    ) -> Finding {
        Finding {
            code,
            severity,
            message,
            statement: Some(StatementId(statement)),
            cta: self.cta,
            warp: self.warp,
            lanes: lanes.into(),
            related: Vec::new(),
        }
    }

    /// Of something wrong that does not stop the run.
    pub(crate) fn complaint(self, complaint: Fault, statement: u32) -> Finding {
        let severity = match complaint.code {
            "wrong-membermask" => Severity::Error,
            _ => Severity::Warning,
        };
        self.fault(complaint, severity, statement)
    }

    pub(crate) fn fault(self, fault: Fault, severity: Severity, statement: u32) -> Finding {
        self.finding(fault.code, severity, fault.message, statement, fault.lanes)
    }
}

/// A place beside a finding.
pub(crate) fn related(statement: u32, message: impl Into<String>) -> Related {
    Related { statement: StatementId(statement), message: message.into() }
}
