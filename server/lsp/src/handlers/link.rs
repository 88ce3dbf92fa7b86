//! `warplens.link`: the link of the page for a document and the run that it shows.

use serde::Serialize;

use crate::documents::snapshot::{Failure, Snapshot};
use crate::link::{Link, address};

/// The answer of `warplens.link`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct DocumentLink {
    /// The address, or without the setting `warplens.web.url` the fragment.
    link: String,
}

pub(crate) fn link(snapshot: &Snapshot) -> Result<DocumentLink, Failure> {
    let text = snapshot.text.to_string();
    let mut link = Link::of_text(&text, snapshot.language);
    if let Some(lanes) = snapshot.lanes() {
        link = link.with_launch(lanes.shown.launch()).map_err(Failure::refused)?.with_warp(lanes.shown.warp);
    }
    let fragment = link.fragment().map_err(Failure::refused)?;
    Ok(DocumentLink { link: address(&snapshot.settings.web.url, &fragment) })
}
