//! The requests of the panel: each reads its parameters, and is answered from the run that a document shows.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_ide::lanes::panel::{MomentRequest, PanelError, PanelQuery, WhyRequest};
use warplens_protocol::jsonrpc::{Error, Result};

use crate::errors::{encoded, refused};
use crate::from_proto;

/// `warplens/timeline`: a page of the time line of a warp.
pub(crate) fn timeline(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    answer(query.timeline(from_proto::params(params)?))
}

/// The parameters that name a step.
#[derive(Deserialize)]
struct MomentParams {
    step: Option<u64>,
    line: Option<u32>,
    visit: Option<u64>,
    /// Registers that `warplens/registers` always includes.
    #[serde(default)]
    pins: Vec<String>,
    /// Whether it includes every register that holds a value.
    #[serde(default)]
    all: bool,
}

impl MomentParams {
    /// The step, if the parameters name one.
    fn optional(&self) -> Option<MomentRequest> {
        let line = || self.line.map(|line| MomentRequest::Line(line, self.visit));
        self.step.map(MomentRequest::Step).or_else(line)
    }

    fn required(&self) -> Result<MomentRequest> {
        self.optional().ok_or_else(|| Error::invalid_params("`step` or `line` is required"))
    }
}

/// `warplens/moment`: the statement, the visit and the lanes of a step.
pub(crate) fn moment(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment: MomentParams = from_proto::params(params)?;
    answer(query.locate(moment.required()?))
}

/// `warplens/registers`: the registers of a warp around a step.
pub(crate) fn registers(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment: MomentParams = from_proto::params(params)?;
    answer(query.registers(moment.required()?, &moment.pins, moment.all))
}

/// `warplens/why`: the chain of writes behind a value.
pub(crate) fn why(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment = from_proto::params::<MomentParams>(params.clone())?.optional();
    let request: WhyRequest = from_proto::params(params)?;
    answer(query.why(&request, moment))
}

/// `warplens/accesses`: the memory accesses of a visit, and those of the kernel with the largest excess.
pub(crate) fn accesses(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment = from_proto::params::<MomentParams>(params)?.optional();
    answer(query.accesses(moment))
}

/// `warplens/buffers`: the buffers of the launch, and a page of one of them or the writer of an element.
pub(crate) fn buffers(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    answer(query.buffers(&from_proto::params(params)?))
}

/// `warplens/graph`: the control flow of the kernel with the visits of a warp.
pub(crate) fn graph(query: &PanelQuery<'_>, _: Value) -> Result<Value> {
    answer(query.graph())
}

/// `warplens/allWarps`: the warps of the run, with the costs of their accesses.
pub(crate) fn all_warps(query: &PanelQuery<'_>, _: Value) -> Result<Value> {
    answer(query.warps())
}

fn answer<T: Serialize>(answer: std::result::Result<T, PanelError>) -> Result<Value> {
    match answer {
        Ok(answer) => encoded(answer),
        Err(PanelError::Cancelled) => Err(Error::request_cancelled()),
        Err(PanelError::Refused(reason)) => Err(refused(reason)),
    }
}
