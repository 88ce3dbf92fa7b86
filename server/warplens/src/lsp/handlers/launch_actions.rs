//! The code actions that start a launch, for clients that do not show code lenses.

use tower_lsp::ls_types::{CodeAction, CodeActionKind, CodeActionParams};
use warplens_ide::lanes::{Click, Lens};

use super::code_lens;
use crate::lsp::snapshot::{Failure, Snapshot};

/// The kind of these actions.
pub(crate) const SIMULATE: &str = "warplens.simulate";

/// The launches of the kernels whose names are on the lines of a range. The extension has its own list of launches.
pub(crate) fn actions(snapshot: &Snapshot, params: &CodeActionParams) -> Result<Vec<CodeAction>, Failure> {
    let lines = params.range.start.line..=params.range.end.line;
    let is_named_here = |lens: &Lens| lines.contains(&snapshot.line(lens.range.start()));
    // Launch files are read only where a kernel is named.
    if snapshot.capabilities.extension_lenses || !code_lens::inferred(snapshot)?.iter().any(is_named_here) {
        return Ok(Vec::new());
    }
    let lenses = code_lens::launches(snapshot)?.into_iter().filter(is_named_here);
    Ok(lenses.filter_map(|lens| action(snapshot, lens)).collect())
}

fn action(snapshot: &Snapshot, lens: Lens) -> Option<CodeAction> {
    let title = match &lens.click {
        Click::Select { .. } => {
            format!("Simulate: {}", lens.title.strip_prefix("▶ Run ").unwrap_or(&lens.title))
        }
        Click::Stop => "Stop showing lanes".to_owned(),
        Click::Pick { .. } | Click::Edit { .. } | Click::Step(_) | Click::Nothing => return None,
    };
    let command = code_lens::command(snapshot, Lens { title: title.clone(), ..lens });
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::from(SIMULATE)),
        command: Some(command),
        ..CodeAction::default()
    })
}
