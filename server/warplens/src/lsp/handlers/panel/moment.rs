//! `warplens/moment`: the statement, the visit and the lanes of a step.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use warplens_ide::lanes::panel::{MomentRequest, PanelQuery};

use super::answer;
use crate::lsp::from_proto;

/// The parameters that name a step.
#[derive(Deserialize)]
pub(super) struct MomentParams {
    step: Option<u64>,
    line: Option<u32>,
    visit: Option<u64>,
    /// Registers that `warplens/registers` always includes.
    #[serde(default)]
    pub(super) pins: Vec<String>,
}

impl MomentParams {
    /// The step, if the parameters name one.
    pub(super) fn optional(&self) -> Option<MomentRequest> {
        let line = || self.line.map(|line| MomentRequest::Line(line, self.visit));
        self.step.map(MomentRequest::Step).or_else(line)
    }

    pub(super) fn required(&self) -> Result<MomentRequest> {
        self.optional().ok_or_else(|| Error::invalid_params("`step` or `line` is required"))
    }
}

pub(crate) fn moment(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment: MomentParams = from_proto::params(params)?;
    answer(query.locate(moment.required()?))
}
