//! `warplens/warps`: the warps of the run that a document shows.

use std::sync::Arc;

use serde::Serialize;
use warplens_ide::lanes::WarpSummaries;

use crate::documents::snapshot::{NullableAnswer, Snapshot};

/// The answer of `warplens/warps`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct WarpsOfRun {
    #[serde(flatten)]
    #[cfg_attr(test, ts(skip))]
    summaries: WarpSummaries,
    version: i32,
    entry: String,
    launch: String,
}

/// Each recorded warp; `null` if nothing has run.
pub(crate) fn warps(snapshot: &Snapshot) -> NullableAnswer<WarpsOfRun> {
    let Some(lanes) = snapshot.lanes() else { return Ok(None) };
    Ok(Some(WarpsOfRun {
        summaries: Arc::unwrap_or_clone(lanes.warp_summaries()),
        version: snapshot.version,
        entry: lanes.shown.entry().to_owned(),
        launch: lanes.shown.launch().name.clone(),
    }))
}
