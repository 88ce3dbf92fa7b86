//! Open documents: their texts, what they show of earlier results, and the requests and snapshots of handlers that read them.

pub(crate) mod analysis_delay;
pub(crate) mod document;
pub(crate) mod lanes;
pub(crate) mod launch_document;
pub(crate) mod launch_text;
pub(crate) mod open;
pub(crate) mod ptxas_findings;
pub(crate) mod request;
pub(crate) mod shown;
pub(crate) mod snapshot;
