//! `warplens/accesses`: the memory accesses of a visit, and those of the kernel with the largest excess.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::PanelQuery;

use super::answer;
use super::moment::MomentParams;
use crate::lsp::from_proto;

pub(crate) fn accesses(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let moment = from_proto::params::<MomentParams>(params)?.optional();
    answer(query.accesses(moment))
}
