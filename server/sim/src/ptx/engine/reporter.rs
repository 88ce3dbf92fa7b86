//! Findings about one warp.

use super::fault::Fault;
use crate::trace::{Finding, Related, Severity, StatementId};

/// The warp that a finding is about.
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

    /// A finding about incorrect use that does not stop the run.
    pub(crate) fn warning(self, warning: Fault, statement: u32) -> Finding {
        let severity = match warning.code {
            "wrong-membermask" => Severity::Error,
            _ => Severity::Warning,
        };
        self.fault(warning, severity, statement)
    }

    pub(crate) fn fault(self, fault: Fault, severity: Severity, statement: u32) -> Finding {
        self.finding(fault.code, severity, fault.message, statement, fault.lanes)
    }
}

/// A related statement of a finding.
pub(crate) fn related(statement: u32, message: impl Into<String>) -> Related {
    Related { statement: StatementId(statement), message: message.into() }
}
