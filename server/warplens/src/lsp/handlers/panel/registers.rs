//! `warplens/registers`: the registers of a warp around a step.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::answer;
use super::moment::MomentParams;
use crate::lsp::from_proto;
use crate::lsp::simulation::panel_request::PanelRun;

pub(crate) fn registers(run: &PanelRun<'_>, params: Value) -> Result<Value> {
    let moment: MomentParams = from_proto::params(params)?;
    answer(run.panel.registers(run.warp, moment.required()?, &moment.pins, run.at, run.control))
}
