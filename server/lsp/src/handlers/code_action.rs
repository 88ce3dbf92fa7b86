//! `textDocument/codeAction`.
//!
//! The fix of a diagnostic is a quick fix; that of a finding is checked by a run first. `source.fixAll.warplens` applies all safe fixes at
//! once; an editor may run it on save. Other source actions rewrite a WAVE file in one of its dialects. The line of a kernel's name offers
//! its launches.

use ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use serde_json::json;
use warplens_ide::lanes::fixes::Budget;
use warplens_ide::lanes::{LaunchSource, WarpId};
use warplens_ide::{
    Diagnostic, Dialect, Fix, NotRewritten, Origin, Rewritten, forward_progress_model, safe_fixes,
};
use warplens_sim_launch::in_comments;
use warplens_sim_warp::FindingKind;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::handlers::commands::{SELECT_LAUNCH, SHOW_LEFT};
use crate::handlers::launch_actions::{self, SIMULATE};
use crate::to_proto;
use crate::workspace_edit::workspace_edit;

/// The kind of the action that applies all safe fixes.
pub(crate) const FIX_ALL: &str = "source.fixAll.warplens";

/// The actions that rewrite a file in a dialect, with kind and title.
pub(crate) const DIALECT_ACTIONS: [(&str, &str, Dialect); 2] = [
    (
        "source.rewriteInToolchainSpelling.warplens",
        "Rewrite file in the toolchain's dialect",
        Dialect::Toolchain,
    ),
    ("source.rewriteInGuideSpelling.warplens", "Rewrite file in the guide's dialect", Dialect::Guide),
];

/// How many problems of a range have actions. Editors ask for a line or a selection, and each action repeats its problem.
const MAX_PROBLEMS: usize = 100;

/// How many lines that could not be rewritten are listed.
const MAX_LISTED: usize = 5;

/// The quick fixes in a range, the launches of kernels that are named there, and the source actions that the client requests.
pub(crate) fn actions(
    snapshot: &Snapshot,
    params: &CodeActionParams,
) -> NullableAnswer<Vec<CodeActionOrCommand>> {
    let only = params.context.only.as_deref();
    let launches = match is_requested(SIMULATE, only) {
        true => launch_actions::actions(snapshot, params)?,
        false => Vec::new(),
    };
    if !snapshot.capabilities.code_actions {
        let commands = launches.into_iter().filter(|action| action.edit.is_none());
        let commands = commands.filter_map(|action| action.command);
        return Ok(Some(commands.map(CodeActionOrCommand::Command).collect()));
    }
    let mut found = snapshot.analysis.diagnostics(snapshot.file)?;
    found.extend(snapshot.findings()?);
    let mut actions = Vec::new();
    if is_requested(CodeActionKind::QUICKFIX.as_str(), only) {
        let range = snapshot.text_range(params.range);
        let in_range = found.iter().filter(|found| found.range.intersect(range).is_some());
        let mut budget = Budget::default();
        for found in in_range.take(MAX_PROBLEMS) {
            let checked = snapshot.checked_fix(found, &mut budget)?;
            let allow = snapshot.analysis.allow_fix(snapshot.file, found)?;
            let fixes = checked.iter().chain(&found.fixes).chain(&allow);
            actions.extend(rerun(snapshot, found));
            actions.extend(rewrite_for_toolchain(snapshot, found)?);
            actions.extend(fixes.map(|fix| quick_fix(snapshot, found, fix)));
        }
    }
    actions.extend(launches);
    // Actions about the whole document are offered only if the client requests their kind.
    if only.is_some() && is_requested(FIX_ALL, only) {
        actions.extend(fix_all(snapshot, &found));
    }
    for (kind, title, dialect) in DIALECT_ACTIONS {
        if only.is_some() && is_requested(kind, only) {
            actions.extend(rewrite(snapshot, CodeActionKind::from(kind), title, dialect)?);
        }
    }
    let mut actions: Vec<_> = actions.into_iter().map(CodeActionOrCommand::CodeAction).collect();
    if is_requested(CodeActionKind::QUICKFIX.as_str(), only) {
        let launches = snapshot.launch_comments();
        actions.extend(launches.into_iter().flat_map(|launches| launches.fixes(&snapshot.uri, params.range)));
    }
    Ok(Some(actions))
}

/// Whether the client requests a kind, or a kind that contains it.
fn is_requested(kind: &str, only: Option<&[CodeActionKind]>) -> bool {
    let is_in = |requested: &CodeActionKind| {
        let rest = kind.strip_prefix(requested.as_str());
        rest.is_some_and(|rest| requested.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(is_in))
}

/// Runs the launch again under a model that guarantees forward progress, under which a loop without progress may terminate.
fn rerun(snapshot: &Snapshot, found: &Diagnostic) -> Option<CodeAction> {
    let lanes = snapshot.lanes().filter(|_| found.origin == Origin::Run)?;
    let shown = &lanes.shown;
    let model = forward_progress_model(snapshot.language)?;
    if found.code != FindingKind::NoProgress.name() || shown.model() == model {
        return None;
    }
    let WarpId { cta, warp } = shown.warp;
    let launch = match shown.source() {
        LaunchSource::Given => json!(shown.launch()),
        _ => json!(shown.launch().name),
    };
    let argument = json!({
        "uri": snapshot.uri.as_str(), "entry": shown.entry(), "launch": launch, "model": model, "cta": cta, "warp": warp,
    });
    let title = format!("Run again with the model `{model}`");
    let command =
        Command { title: title.clone(), command: SELECT_LAUNCH.into(), arguments: Some(vec![argument]) };
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![to_proto::diagnostic(snapshot, found.clone())]),
        command: Some(command),
        ..CodeAction::default()
    })
}

/// Rewrites a file that the reference toolchain rejects in the toolchain's dialect.
fn rewrite_for_toolchain(snapshot: &Snapshot, found: &Diagnostic) -> NullableAnswer<CodeAction> {
    if found.origin != Origin::Run || found.code != FindingKind::NotAssembled.name() {
        return Ok(None);
    }
    let [(_, title, dialect), _] = DIALECT_ACTIONS;
    let action = rewrite(snapshot, CodeActionKind::QUICKFIX, title, dialect)?;
    let diagnostics = vec![to_proto::diagnostic(snapshot, found.clone())];
    Ok(action.map(|action| CodeAction {
        diagnostics: Some(diagnostics),
        is_preferred: action.command.is_none().then_some(true),
        ..action
    }))
}

/// Rewrites the whole file in a dialect. If constructs have no equivalent, the title counts them and the command lists them.
fn rewrite(
    snapshot: &Snapshot,
    kind: CodeActionKind,
    title: &str,
    dialect: Dialect,
) -> NullableAnswer<CodeAction> {
    let Rewritten { edits, left } = snapshot.analysis.rewrite_in_dialect(snapshot.file, dialect)?;
    if edits.is_empty() && left.is_empty() {
        return Ok(None);
    }
    let title = match &left[..] {
        [] => title.to_owned(),
        [one] => format!("{title}, except line {}", one.line + 1),
        several => format!("{title}, except {} lines", several.len()),
    };
    let command = (!left.is_empty()).then(|| Command {
        title: title.clone(),
        command: SHOW_LEFT.into(),
        arguments: Some(vec![json!({ "message": not_rewritten(&left) })]),
    });
    let edit = (!edits.is_empty()).then(|| edit(snapshot, to_proto::edits(snapshot, edits)));
    Ok(Some(CodeAction { title, kind: Some(kind), edit, command, ..CodeAction::default() }))
}

/// The constructs that have no equivalent in the dialect.
fn not_rewritten(left: &[NotRewritten]) -> String {
    let lines = left.iter().take(MAX_LISTED).map(|left| format!("line {}: {}", left.line + 1, left.message));
    let more = left.len().saturating_sub(MAX_LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    format!("Not rewritten: {}", lines.chain(more).collect::<Vec<_>>().join("; "))
}

fn quick_fix(snapshot: &Snapshot, found: &Diagnostic, fix: &Fix) -> CodeAction {
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![to_proto::diagnostic(snapshot, found.clone())]),
        edit: Some(edit(snapshot, to_proto::edits(snapshot, fix.edits.clone()))),
        is_preferred: fix.preferred.then_some(true),
        command: launch_of(snapshot, fix),
        ..CodeAction::default()
    }
}

/// Selects the launch that a fix writes.
fn launch_of(snapshot: &Snapshot, fix: &Fix) -> Option<Command> {
    let marks = snapshot.language.line_comments;
    let written = fix.edits.iter().flat_map(|edit| in_comments(&edit.insert, marks)).next()?;
    let entry = snapshot.lanes()?.shown.entry().to_owned();
    Some(launch_actions::select(snapshot, entry, written.listed.launch.name))
}

/// All safe fixes as one edit; `None` if there are none.
fn fix_all(snapshot: &Snapshot, found: &[Diagnostic]) -> Option<CodeAction> {
    let edits = safe_fixes(found).edits;
    (!edits.is_empty()).then(|| CodeAction {
        title: "Fix all safe problems".to_owned(),
        kind: Some(CodeActionKind::from(FIX_ALL)),
        edit: Some(edit(snapshot, to_proto::edits(snapshot, edits))),
        ..CodeAction::default()
    })
}

/// The edits. If the client supports versions, they are for the version of the snapshot.
fn edit(snapshot: &Snapshot, edits: Vec<TextEdit>) -> WorkspaceEdit {
    if !snapshot.capabilities.versioned_edits {
        return workspace_edit(&snapshot.uri, edits);
    }
    let text_document = OptionalVersionedTextDocumentIdentifier {
        uri: snapshot.uri.clone(),
        version: Some(snapshot.version),
    };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    let change = TextDocumentEdit { text_document, edits };
    WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(vec![change])), ..WorkspaceEdit::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_requested_by_its_name_and_by_kinds_that_contain_it() {
        let requested =
            |kind: &str, only: &str| is_requested(kind, Some(&[CodeActionKind::from(only.to_owned())]));
        assert!(is_requested("quickfix", None));
        assert!(requested("quickfix", "quickfix"));
        assert!(requested("quickfix", ""));
        assert!(!requested("quickfix", "quick"));
        assert!(!requested("quickfix", "refactor"));
        assert!(requested(FIX_ALL, "source"));
        assert!(requested(FIX_ALL, "source.fixAll"));
        assert!(!requested(FIX_ALL, "source.organizeImports"));
    }
}
