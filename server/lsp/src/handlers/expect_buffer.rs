//! `warplens.expectBuffer`: makes the shown launch expect what a buffer held after the run.

use ls_types::{Location, TextEdit, WorkspaceEdit};
use serde::Serialize;
use warplens_ide::lanes::LaunchSource;
use warplens_sim_launch::{
    Buffer, Contents, Expectation, Format, Launch, Passed, expectation_of, write_expectation,
};
use warplens_sim_warp::Status;

use crate::documents::lanes::Ran;
use crate::documents::snapshot::{Failure, Snapshot};
use crate::handlers::draft_launch::{Draft, draft_of, inferred};
use crate::handlers::written_launch::{launch_location, written};
use crate::workspace_edit::workspace_edit;

/// The elements of the largest buffer that is written: a longer launch cannot be read.
const MAX_ELEMENTS: usize = 4096;

/// The answer of `warplens.expectBuffer`: one of these.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ExpectedBuffer {
    /// The change of the text of the launch.
    #[cfg_attr(test, ts(type = "WorkspaceEdit | null"))]
    edit: Option<WorkspaceEdit>,
    /// An inferred launch with the expectation, to be written by the client.
    draft: Option<Draft>,
}

pub(super) fn expect_buffer(snapshot: &Snapshot, name: &str) -> Result<ExpectedBuffer, Failure> {
    let Some(lanes) = snapshot.lanes() else { return refused("no lanes are shown".to_owned()) };
    let Some(Ran { outcome, prepared, .. }) = lanes.ran() else {
        return refused("the run was dropped to free memory: run the launch again".to_owned());
    };
    let result = &*outcome.result;
    if result.status != Status::Finished {
        return refused(format!("the run did not finish, so what `{name}` holds is not its result"));
    }
    let ran = outcome.prepared(prepared);
    let Some(buffer) = ran.resolved.buffer(name) else { return refused(format!("unknown buffer `{name}`")) };
    let bytes = buffer.bytes(result);
    let expectation = |bytes: &[u8]| {
        let elements = bytes.len() / buffer.element.bytes();
        if elements > MAX_ELEMENTS {
            return refused(format!(
                "`{name}` has {elements} elements, and at most {MAX_ELEMENTS} are written into a launch: dump the buffer with \
                 `warplens sim --dump`, and expect its `file`"
            ));
        }
        Ok(expectation_of(name, buffer.element, bytes))
    };
    if lanes.shown.source() == LaunchSource::Inferred {
        let launch = inferred(snapshot, Some(lanes.shown.entry()))?;
        let kept = written_bytes(&launch, name).map_or(bytes.len(), |written| written.min(bytes.len()));
        let launch = Launch { expect: vec![expectation(&bytes[..kept])?], ..launch };
        return Ok(ExpectedBuffer { edit: None, draft: Some(draft_of(snapshot, &launch)?) });
    }
    let edit = edit(snapshot, lanes.shown.launch(), expectation(bytes)?)?;
    let Some(edit) = edit else {
        return refused(format!(
            "`{}` has no text to which an expectation can be added: write it as `expect = [ … ]` in `warplens.toml`",
            lanes.shown.launch().name
        ));
    };
    Ok(ExpectedBuffer { edit: Some(edit), draft: None })
}

fn refused<T>(reason: String) -> Result<T, Failure> {
    Err(Failure::Refused(reason))
}

/// The length of a buffer in a launch that is written: it ends where the run does.
fn written_bytes(launch: &Launch, name: &str) -> Option<usize> {
    launch.args.iter().find(|argument| argument.name.as_deref() == Some(name)).and_then(|argument| {
        match &argument.passed {
            Passed::Buffer(Buffer { element, contents: Contents::Filled { len, .. }, .. }) => {
                Some(*len as usize * element.bytes())
            }
            _ => None,
        }
    })
}

/// The edit of the file or the comment in which a launch is written. The launch is read again, because the text may have changed.
fn edit(
    snapshot: &Snapshot,
    launch: &Launch,
    expectation: Expectation,
) -> Result<Option<WorkspaceEdit>, Failure> {
    let (offer, files) = written(snapshot, launch)?;
    Ok(offer.and_then(|offer| {
        let (text, format) = match (offer.source, &files.file) {
            (LaunchSource::Comment, _) => (snapshot.text.to_string(), Format::Toml),
            (LaunchSource::File, Some(file)) => (file.text.to_string(), file.format),
            _ => return None,
        };
        let (at, new_text) = write_expectation(&text, format, offer.launch.as_ref()?, expectation)?;
        let Location { uri, range } = launch_location(snapshot, &offer, &at, &files)?;
        Some(workspace_edit(&uri, vec![TextEdit { range, new_text }]))
    }))
}
