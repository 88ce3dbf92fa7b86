//! `warplens.draftLaunch`: the inferred launch of a kernel as text, for the client to write to a file.

use std::path::Path;
use std::sync::Arc;

use ls_types::Uri;
use serde::Serialize;
use warplens_ide::lanes::{Choice, Click, Lens};
use warplens_sim_launch::{INFERRED, Launch, launch_comment, launch_name, launch_table};
use warplens_sim_warp::{Cancelled, Control};

use crate::documents::lanes::Ran;
use crate::documents::snapshot::{Failure, Snapshot};
use crate::files::launch_files::readable_launch_files;
use crate::handlers::code_lens;
use crate::handlers::simulation::prepare::prepare;
use crate::launch_file;
use crate::simulation::selection::Selection;

/// The answer of `warplens.draftLaunch`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Draft {
    /// The kernel.
    pub(crate) entry: String,
    /// The name of the launch, which no other launch of the document has.
    pub(crate) name: String,
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

/// The limit of warp instructions of a run that only looks for the launch to write.
const MAX_STEPS: u64 = 300_000;

/// The inferred launch of `entry`, or of the only kernel.
pub(crate) fn draft(snapshot: &Snapshot, entry: Option<&str>) -> Result<Draft, Failure> {
    draft_of(snapshot, &inferred(snapshot, entry)?)
}

/// An inferred launch as text.
pub(super) fn draft_of(snapshot: &Snapshot, launch: &Launch) -> Result<Draft, Failure> {
    let document = launch_file::path(&snapshot.uri);
    let is_file = snapshot.uri.scheme().as_str() == "file";
    let existing = is_file.then(|| launch_file::nearest(&document)).flatten();
    let folder = existing.as_deref().or(Some(document.as_path())).and_then(Path::parent);
    let file = folder.and_then(|folder| document.strip_prefix(folder).ok()).unwrap_or(&document);
    let mark = snapshot.language.line_comment();
    let runs = |lens: &&Lens| matches!(&lens.click, Click::Select { entry, .. } if Some(entry) == launch.entry.as_ref());
    let line = code_lens::inferred(snapshot)?.iter().find(runs).map(|lens| snapshot.line(lens.range.start()));
    let name = free_name(snapshot, launch)?;
    Ok(Draft {
        entry: launch.entry.clone().unwrap_or_default(),
        line,
        comment: format!("{mark} {}", launch_comment(launch, &name)),
        table: launch_table(launch, &name, &file.to_string_lossy().replace('\\', "/")),
        name,
        launch_file: existing.as_deref().and_then(launch_file::uri),
    })
}

/// The inferred launch that the document shows, or the one that a run would show. Its buffers end where the run does.
pub(super) fn inferred(snapshot: &Snapshot, entry: Option<&str>) -> Result<Launch, Failure> {
    let selection = Selection {
        entry: entry.map(str::to_owned),
        launch: Choice::Inferred,
        warp: None,
        home: None,
        model: None,
    };
    let mut prepared = prepare(snapshot, &selection, &Arc::default(), None)?;
    let control = Control::none();
    let is_wanted = |shown: &Launch| shown.name == INFERRED && shown.entry == prepared.resolved.launch.entry;
    let shown = snapshot.lanes().filter(|lanes| is_wanted(lanes.shown.launch()));
    let written = match shown.as_ref().map(|lanes| (lanes, lanes.ran())) {
        Some((_, Some(Ran { prepared, outcome, .. }))) => prepared.launch_to_write(outcome, control),
        Some((lanes, None)) => Ok(lanes.shown.launch().clone()),
        None => {
            let limit = &mut prepared.options.limits.max_steps;
            *limit = MAX_STEPS.min(*limit);
            prepared.run_adjusted(control).and_then(|(adjusted, _)| adjusted.trimmed(control))
        }
    };
    written.map_err(|Cancelled| Failure::Cancelled)
}

/// A name that no launch of the document has. With an unreadable launch file, only the comments are known.
fn free_name(snapshot: &Snapshot, launch: &Launch) -> Result<String, Failure> {
    let files = readable_launch_files(snapshot)?;
    let offers = snapshot.analysis.launches(snapshot.file, Some(&files))?;
    Ok(launch_name(launch, |name| offers.iter().any(|offer| offer.name == name)))
}
