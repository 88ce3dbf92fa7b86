//! `warplens/accesses`: the memory accesses of a visit, and those of the kernel with the largest excess.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::answer;
use super::moment::MomentParams;
use crate::lsp::from_proto;
use crate::lsp::simulation::panel_request::PanelRun;

pub(crate) fn accesses(run: &PanelRun<'_>, params: Value) -> Result<Value> {
    let moment = from_proto::params::<MomentParams>(params)?.optional();
    answer(run.panel.accesses(run.warp, moment, run.at, run.control))
}
