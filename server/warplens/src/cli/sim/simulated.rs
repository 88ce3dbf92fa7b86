//! A launch that was run, with its input.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ropey::Rope;
use text_size::TextSize;
use warplens_ide::lanes::json::{Options, Position};
use warplens_ide::lanes::{Coverage, Prepared, Steps, Unexpected, Verdict};
use warplens_sim_launch::PlacedBuffer;
use warplens_sim_warp::{RunResult, Severity, StatementId, WarpId};

use warplens_protocol::position::{self, Encoding};

pub(super) struct Simulated {
    pub(super) path: String,
    pub(super) text: Rope,
    pub(super) prepared: Prepared,
    pub(super) result: Arc<RunResult>,
    /// The warp that the arguments select.
    pub(super) warp: Option<WarpId>,
    pub(super) dump: Vec<PlacedBuffer>,
    /// The file of each buffer, by the name of the argument, if they were saved.
    pub(super) saved: Option<BTreeMap<String, String>>,
    /// Failed checks of the launch.
    pub(super) failures: Vec<Unexpected>,
    pub(super) verdict: Verdict,
    pub(super) coverage: Coverage,
    /// The lines of other kernels and functions, which are not listed.
    pub(super) hidden: Vec<Range<usize>>,
    /// The steps of a warp, if they were requested.
    pub(super) steps: Option<Steps>,
}

impl Simulated {
    /// The warp of the first error, or else the first warp.
    pub(super) fn interesting_warp(&self) -> WarpId {
        let errors = self.result.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let warps = errors.map(|finding| WarpId { cta: finding.cta, warp: finding.warp });
        let mut warps = warps.filter(|warp| self.result.warp(warp.cta, warp.warp).is_some());
        warps.next().unwrap_or(WarpId { cta: [0; 3], warp: 0 })
    }

    pub(super) fn position(&self, statement: StatementId) -> Option<Position> {
        let offset: TextSize = self.prepared.statements.get(statement.index())?.opcode.start();
        let at = position::position(&self.text, offset, Encoding::Utf16);
        Some(Position { line: at.line, character: at.character })
    }

    pub(super) fn report_options(&self) -> Options<'_> {
        Options {
            model: self.prepared.model.name(),
            dump: &self.dump,
            saved: self.saved.as_ref(),
            warp: self.warp,
            statements: &self.prepared.statements,
            failures: &self.failures,
            verdict: &self.verdict,
            coverage: &self.coverage,
        }
    }
}
