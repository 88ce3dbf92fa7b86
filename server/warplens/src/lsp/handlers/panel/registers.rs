//! `warplens/registers`: the registers of a warp around a step.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::PanelQuery;

use super::answer;
use super::moment::MomentParams;
use crate::lsp::from_proto;

pub(crate) fn registers(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment: MomentParams = from_proto::params(params)?;
    answer(query.registers(moment.required()?, &moment.pins))
}
