//! The code actions that start or write a launch, for clients that do not show code lenses.

use ls_types::{CodeAction, CodeActionKind, CodeActionParams, Command, Position, Range, TextEdit};
use text_size::TextRange;
use warplens_ide::lanes::{Click, Lens, LensRank};

use crate::documents::snapshot::{Failure, NullableAnswer, Snapshot, unless_refused};
use crate::handlers::code_lens;
use crate::handlers::commands::COPY_LINK;
use crate::handlers::draft_launch::draft;
use crate::workspace_edit::workspace_edit;

/// The kind of these actions.
pub(crate) const SIMULATE: &str = "warplens.simulate";

/// The launches of the kernels whose names are on the lines of a range. The VS Code extension lists and edits launches itself.
pub(crate) fn actions(snapshot: &Snapshot, params: &CodeActionParams) -> Result<Vec<CodeAction>, Failure> {
    let lines = params.range.start.line..=params.range.end.line;
    let is_named_here = |lens: &Lens| lines.contains(&snapshot.line(lens.range.start()));
    // The launch file is read only if a kernel is named there.
    let kernels = code_lens::inferred(snapshot)?.into_iter().filter(is_named_here);
    let mut entries: Vec<String> = kernels.filter_map(|lens| entry_of(lens.click)).collect();
    entries.dedup();
    if snapshot.capabilities.extension_lenses {
        let has_kernel = !entries.is_empty();
        let edits = entries.into_iter().map(|entry| edit_launch(snapshot, entry));
        return Ok(edits.chain(has_kernel.then(|| copy_link(snapshot))).collect());
    }
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let lenses = code_lens::launches(snapshot)?.into_iter().filter(is_named_here);
    let mut actions: Vec<_> = lenses.filter_map(|lens| action(snapshot, lens)).collect();
    for entry in entries {
        actions.extend(write_launch(snapshot, &entry)?);
    }
    Ok(actions)
}

fn entry_of(click: Click) -> Option<String> {
    match click {
        Click::Select { entry, .. } => Some(entry),
        _ => None,
    }
}

/// The action with which the VS Code extension opens or writes a launch.
fn edit_launch(snapshot: &Snapshot, entry: String) -> CodeAction {
    run(command_of(snapshot, "Edit Launch".to_owned(), Click::Edit { entry }))
}

/// The action with which the VS Code extension copies the link of the document and its run.
fn copy_link(snapshot: &Snapshot) -> CodeAction {
    run(Command {
        title: "Copy Link".to_owned(),
        command: COPY_LINK.to_owned(),
        arguments: Some(vec![snapshot.uri.as_str().into()]),
    })
}

/// Selects a launch that an action has written.
pub(super) fn select(snapshot: &Snapshot, entry: String, launch: String) -> Command {
    command_of(snapshot, format!("Select {launch}"), Click::Select { entry, launch })
}

fn command_of(snapshot: &Snapshot, title: String, click: Click) -> Command {
    code_lens::command(snapshot, Lens { range: TextRange::default(), title, click, rank: LensRank::Run })
}

/// Writes the inferred launch as a comment above its kernel, and selects it. `None` if the kernel cannot be run.
fn write_launch(snapshot: &Snapshot, entry: &str) -> NullableAnswer<CodeAction> {
    let Some(draft) = unless_refused(draft(snapshot, Some(entry)))? else { return Ok(None) };
    let Some(line) = draft.line else { return Ok(None) };
    let start = Position { line, character: 0 };
    let edit = TextEdit { range: Range { start, end: start }, new_text: format!("{}\n", draft.comment) };
    Ok(Some(CodeAction {
        title: "Write the inferred launch".to_owned(),
        kind: Some(CodeActionKind::from(SIMULATE)),
        edit: Some(workspace_edit(&snapshot.uri, vec![edit])),
        command: Some(select(snapshot, draft.entry, draft.name)),
        ..CodeAction::default()
    }))
}

fn action(snapshot: &Snapshot, lens: Lens) -> Option<CodeAction> {
    let title = match &lens.click {
        Click::Select { .. } => {
            format!("Simulate: {}", lens.title.strip_prefix("▶ Run ").unwrap_or(&lens.title))
        }
        Click::Stop => "Stop showing lanes".to_owned(),
        Click::Pick { .. } | Click::Edit { .. } | Click::GoTo(_) | Click::Nothing => return None,
    };
    Some(run(code_lens::command(snapshot, Lens { title, ..lens })))
}

fn run(command: Command) -> CodeAction {
    CodeAction {
        title: command.title.clone(),
        kind: Some(CodeActionKind::from(SIMULATE)),
        command: Some(command),
        ..CodeAction::default()
    }
}
