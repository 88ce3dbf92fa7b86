//! The fix that adds `warplens: allow(…)` to a line.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, Diagnostic, File, Fix, Origin, Severity, TextEdit, items, token_covering};
use warplens_sim_warp::FindingKind;
use warplens_syntax::SyntaxKind;

use crate::allow::{line_at, text_of};
use crate::codes;
use crate::file::allowances;

/// A fix that adds a comment to switch a diagnostic off for its line. Errors have none: the assembler rejects the file.
pub fn allow_fix(db: &Database, file: File, found: &Diagnostic) -> Option<Fix> {
    let is_rejected = found.severity == Severity::Error && found.origin == Origin::Text;
    if is_rejected
        || found.code == FindingKind::NotAssembled.name()
        || [codes::TOO_MANY, codes::INVALID_ALLOW].contains(&found.code)
    {
        return None;
    }
    let (offset, code) = (found.range.start(), found.code);
    let list = file.document(db).items();
    let allowances = allowances(db, file);
    let (at, insert) = match allowances.about(offset).next() {
        Some(line) if line.is_empty => (line.list_end, code.to_owned()),
        Some(line) => (line.list_end, format!(", {code}")),
        None => {
            let line = line_at(list, offset);
            let text = text_of(list, line);
            let end = line.start() + TextSize::of(text.trim_end());
            (end, format!(" {}warplens: allow({code})", comment_mark(db, file, end)?))
        }
    };
    let edits = vec![TextEdit { range: TextRange::empty(at), insert }];
    Some(Fix { title: format!("Allow `{code}` on this line"), edits, preferred: false })
}

/// The start of a comment at the end of a line: empty if the line has one already, `None` inside a block comment.
fn comment_mark(db: &Database, file: File, end: TextSize) -> Option<String> {
    let list = file.document(db).items();
    let before = end.checked_sub(TextSize::from(1))?;
    let index = list.item_at(before)?;
    let tree = items(db, file)[index].parse(db).syntax();
    let token = token_covering(&tree, before - list.start_of(index))?;
    let mark = || format!("{} ", file.language(db).line_comment());
    let text = token.text();
    match token.kind() {
        SyntaxKind::COMMENT if !text.starts_with("/*") => Some(String::new()),
        SyntaxKind::COMMENT => text.ends_with("*/").then(mark),
        _ => Some(mark()),
    }
}

#[cfg(test)]
mod tests;
