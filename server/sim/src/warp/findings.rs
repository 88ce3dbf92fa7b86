//! Findings about one warp.

use crate::ids::{Mask, StatementId, WarpId};
use crate::trace::{Finding, Related, Severity};

impl WarpId {
    /// A finding about lanes of the warp at a statement.
    pub(crate) fn finding(
        self,
        code: &'static str,
        severity: Severity,
        message: String,
        statement: u32,
        lanes: impl Into<Mask>,
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

    /// An error in lanes of the warp at a statement.
    pub(crate) fn error(
        self,
        code: &'static str,
        message: String,
        statement: u32,
        lanes: impl Into<Mask>,
    ) -> Finding {
        self.finding(code, Severity::Error, message, statement, lanes)
    }
}

impl Finding {
    /// The finding with further related statements.
    pub(crate) fn with(mut self, related: impl IntoIterator<Item = Related>) -> Finding {
        self.related.extend(related);
        self
    }
}

impl Related {
    pub(crate) fn new(statement: u32, message: impl Into<String>) -> Related {
        Related { statement: StatementId(statement), message: message.into() }
    }
}
