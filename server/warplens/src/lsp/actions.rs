//! What a user can have done about diagnostics: `textDocument/codeAction`.
//!
//! A mend of one diagnostic is a quick fix. The mends that are certain can be done all at once, by
//! `source.fixAll.warplens`, which an editor may run on save. Other source actions write a WAVE file in one of its spellings.

use std::collections::HashMap;

use serde_json::json;
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use warplens_ide::lanes::Source;
use warplens_ide::{Diagnostic, Dialect, Fix, NotRewritten, Origin, Rewritten};
use warplens_sim::WarpId;

use super::commands::{SELECT_LAUNCH, SHOW_LEFT};
use super::job::{Failure, Question};
use super::{convert, lanes};

/// The kind of the action that does all that is certain.
pub(super) const FIX_ALL: &str = "source.fixAll.warplens";

/// The kinds of the actions that write a whole file in a spelling, what they are called, and which it is.
pub(super) const RESPELL: [(&str, &str, Dialect); 2] = [
    (
        "source.rewriteInToolchainSpelling.warplens",
        "Rewrite file in the toolchain's spelling",
        Dialect::Toolchain,
    ),
    ("source.rewriteInGuideSpelling.warplens", "Rewrite file in the guide's spelling", Dialect::Guide),
];

/// So many places that could not be written otherwise are said by name.
const MOST_LEFT: usize = 5;

/// What can be done about the diagnostics in a range.
pub(super) fn actions(
    question: &Question,
    params: &CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Failure> {
    let only = params.context.only.as_deref();
    if !question.abilities.code_actions {
        return Ok(vec![]);
    }
    let mut found = question.analysis.diagnostics(question.file)?;
    found.extend(lanes::findings(question)?);
    let mut actions = Vec::new();
    if is_wanted(CodeActionKind::QUICKFIX.as_str(), only) {
        let range = question.text_range(params.range);
        for found in found.iter().filter(|found| found.range.intersect(range).is_some()) {
            let allow = question.analysis.allow_fix(question.file, found)?;
            let fixes = found.fixes.iter().chain(&allow);
            actions.extend(rerun(question, found));
            actions.extend(assembled(question, found)?);
            actions.extend(fixes.map(|fix| quick_fix(question, found, fix)));
        }
    }
    // Only who asks for it gets it: it is about the whole document.
    if only.is_some() && is_wanted(FIX_ALL, only) {
        actions.extend(fix_all(question, &found));
    }
    for (kind, title, spelling) in RESPELL {
        if only.is_some() && is_wanted(kind, only) {
            actions.extend(respell(question, CodeActionKind::from(kind), title, spelling)?);
        }
    }
    Ok(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect())
}

/// Whether a kind is asked for: by its name, or by a kind that it belongs to.
fn is_wanted(kind: &str, only: Option<&[CodeActionKind]>) -> bool {
    let is_in = |wanted: &CodeActionKind| {
        let rest = kind.strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| wanted.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(is_in))
}

/// What spins under a stack may come to its end where every lane gets on: the same launch under that model.
fn rerun(question: &Question, found: &Diagnostic) -> Option<CodeAction> {
    const MODEL: &str = "its";
    let lanes = question.lanes.as_ref().filter(|_| found.origin == Origin::Run)?;
    let shown = &lanes.shown;
    if found.code != "no-progress" || question.language != warplens_ide::PTX || shown.model() == MODEL {
        return None;
    }
    let WarpId { cta, warp } = shown.warp();
    let launch = match shown.source() {
        Source::Given => json!(shown.launch()),
        _ => json!(shown.launch().name),
    };
    let argument = json!({
        "uri": question.uri.as_str(), "entry": shown.entry(), "launch": launch, "model": MODEL, "cta": cta, "warp": warp,
    });
    let title = format!("Run again with the model `{MODEL}`");
    let command =
        Command { title: title.clone(), command: SELECT_LAUNCH.into(), arguments: Some(vec![argument]) };
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![convert::diagnostic(question, found.clone())]),
        command: Some(command),
        ..CodeAction::default()
    })
}

/// What the reference toolchain does not take can be written for it, the whole file at once.
fn assembled(question: &Question, found: &Diagnostic) -> Result<Option<CodeAction>, Failure> {
    if found.origin != Origin::Run || found.code != "not-assembled" {
        return Ok(None);
    }
    let [(_, title, spelling), _] = RESPELL;
    let action = respell(question, CodeActionKind::QUICKFIX, title, spelling)?;
    let diagnostics = vec![convert::diagnostic(question, found.clone())];
    Ok(action.map(|action| CodeAction {
        diagnostics: Some(diagnostics),
        is_preferred: action.command.is_none().then_some(true),
        ..action
    }))
}

/// The whole file in a spelling. What has no form there is said in the title by its lines, and why when it is done.
fn respell(
    question: &Question,
    kind: CodeActionKind,
    title: &str,
    spelling: Dialect,
) -> Result<Option<CodeAction>, Failure> {
    let Rewritten { edits, left } = question.analysis.rewrite_in_dialect(question.file, spelling)?;
    if edits.is_empty() && left.is_empty() {
        return Ok(None);
    }
    let title = match &left[..] {
        [] => title.to_owned(),
        [one] => format!("{title}, but for line {}", one.line + 1),
        several => format!("{title}, but for {} places", several.len()),
    };
    let command = (!left.is_empty()).then(|| Command {
        title: title.clone(),
        command: SHOW_LEFT.into(),
        arguments: Some(vec![json!({ "message": told(&left) })]),
    });
    let edit = (!edits.is_empty()).then(|| edit(question, convert::edits(question, edits)));
    Ok(Some(CodeAction { title, kind: Some(kind), edit, command, ..CodeAction::default() }))
}

/// What could not be written otherwise, and why.
fn told(left: &[NotRewritten]) -> String {
    let lines = left.iter().take(MOST_LEFT).map(|left| format!("line {}: {}", left.line + 1, left.message));
    let more = left.len().saturating_sub(MOST_LEFT);
    let more = (more > 0).then(|| format!("and {more} more"));
    format!("Left as it was. {}", lines.chain(more).collect::<Vec<_>>().join("; "))
}

fn quick_fix(question: &Question, found: &Diagnostic, fix: &Fix) -> CodeAction {
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![convert::diagnostic(question, found.clone())]),
        edit: Some(edit(question, convert::edits(question, fix.edits.clone()))),
        is_preferred: fix.preferred.then_some(true),
        ..CodeAction::default()
    }
}

/// All that is certain, as one edit. Where two mends touch each other the later one waits for the next time.
fn fix_all(question: &Question, found: &[Diagnostic]) -> Option<CodeAction> {
    let mut edits: Vec<warplens_ide::TextEdit> = Vec::new();
    for fix in found.iter().flat_map(|found| &found.fixes).filter(|fix| fix.preferred) {
        let touches = |edit: &warplens_ide::TextEdit| {
            edits.iter().any(|other| other != edit && other.range.intersect(edit.range).is_some())
        };
        if !fix.edits.iter().any(touches) {
            let new: Vec<_> = fix.edits.iter().filter(|edit| !edits.contains(edit)).cloned().collect();
            edits.extend(new);
        }
    }
    source_action(question, FIX_ALL, "Mend everything that is certain", edits)
}

/// An action about the whole document; `None` if it would change nothing.
fn source_action(
    question: &Question,
    kind: &'static str,
    title: &str,
    edits: Vec<warplens_ide::TextEdit>,
) -> Option<CodeAction> {
    (!edits.is_empty()).then(|| CodeAction {
        title: title.into(),
        kind: Some(CodeActionKind::from(kind)),
        edit: Some(edit(question, convert::edits(question, edits))),
        ..CodeAction::default()
    })
}

/// The edits for the version of the document that they were made for, where the client can tell versions apart.
fn edit(question: &Question, edits: Vec<TextEdit>) -> WorkspaceEdit {
    if !question.abilities.versioned_edits {
        let changes = HashMap::from([(question.uri.clone(), edits)]);
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let text_document = OptionalVersionedTextDocumentIdentifier {
        uri: question.uri.clone(),
        version: Some(question.version),
    };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    let change = TextDocumentEdit { text_document, edits };
    WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(vec![change])), ..WorkspaceEdit::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_wanted_by_its_own_name_and_by_those_around_it() {
        let wanted = |kind: &str, only: &str| is_wanted(kind, Some(&[CodeActionKind::from(only.to_owned())]));
        assert!(is_wanted("quickfix", None));
        assert!(wanted("quickfix", "quickfix"));
        assert!(wanted("quickfix", ""));
        assert!(!wanted("quickfix", "quick"));
        assert!(!wanted("quickfix", "refactor"));
        assert!(wanted(FIX_ALL, "source"));
        assert!(wanted(FIX_ALL, "source.fixAll"));
        assert!(!wanted(FIX_ALL, "source.organizeImports"));
    }
}
