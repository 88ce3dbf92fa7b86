//! `warplens.draftLaunch`: the inferred launch of a kernel as text, for the client to write to a file.

use std::path::Path;

use serde::Serialize;
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::{Choice, Click, Lens};
use warplens_sim_launch::{INFERRED, launch_comment, launch_table};

use crate::launch_file;
use crate::lsp::documents::snapshot::{Failure, Snapshot};
use crate::lsp::handlers::code_lens;
use crate::lsp::handlers::simulation::prepare::prepare;
use crate::lsp::simulation::selection::Selection;

/// The answer of `warplens.draftLaunch`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Draft {
    /// The kernel.
    entry: String,
    /// The line of the kernel's name.
    pub(crate) line: Option<u32>,
    /// The launch as a comment.
    pub(crate) comment: String,
    /// The launch as a table of a launch file.
    table: String,
    /// The launch file of the document.
    #[cfg_attr(test, ts(as = "Option<String>"))]
    launch_file: Option<Uri>,
}

/// The inferred launch of `entry`, or of the only kernel.
pub(crate) fn draft(snapshot: &Snapshot, entry: Option<&str>) -> Result<Draft, Failure> {
    let selection = Selection {
        entry: entry.map(str::to_owned),
        launch: Choice::Inferred,
        warp: None,
        home: None,
        model: None,
    };
    let prepared = prepare(snapshot, &selection, None)?;
    // The shown launch may have been repaired since.
    let shown = snapshot.shown.launch(&snapshot.uri);
    let shown = shown.filter(|shown| shown.name == INFERRED && shown.entry == prepared.resolved.launch.entry);
    let launch = shown.as_ref().unwrap_or(&prepared.resolved.launch);
    let document = launch_file::path(&snapshot.uri);
    let is_file = snapshot.uri.scheme().as_str() == "file";
    let existing = is_file.then(|| launch_file::nearest(&document)).flatten();
    let folder = existing.as_deref().or(Some(document.as_path())).and_then(Path::parent);
    let name = folder.and_then(|folder| document.strip_prefix(folder).ok()).unwrap_or(&document);
    let mark = snapshot.language.line_comment();
    let runs = |lens: &&Lens| matches!(&lens.click, Click::Select { entry, .. } if Some(entry) == launch.entry.as_ref());
    let line = code_lens::inferred(snapshot)?.iter().find(runs).map(|lens| snapshot.line(lens.range.start()));
    Ok(Draft {
        entry: launch.entry.clone().unwrap_or_default(),
        line,
        comment: format!("{mark} {}", launch_comment(launch)),
        table: launch_table(launch, &name.to_string_lossy().replace('\\', "/")),
        launch_file: existing.and_then(Uri::from_file_path),
    })
}
