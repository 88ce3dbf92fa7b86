//! `asm-comment`: a comment that goes on in the next literal, and so hides its code.

use warplens_host::{Piece, PieceKind, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    let template = &statement.template;
    let text = &template.text;
    for comment in template.comments().into_iter().filter(|comment| comment.is_line) {
        let (at, end) = (comment.range.start, comment.range.end);
        let comment = template.pieces.iter().position(|piece| piece.template.contains(&at));
        let Some(comment) = comment else { continue };
        let pieces = template.pieces[comment..].windows(2).take_while(|pair| pair[1].template.start < end);
        let hidden = pieces.filter(|pair| is_next_literal(&pair[0], &pair[1])).map(|pair| &pair[1]);
        for piece in hidden.filter(|piece| text[piece.template.clone()].contains(';')).take(1) {
            let message = "this code is part of the comment before it, whose line does not end; write `\\n` after the comment";
            found.push(diagnostic(&piece.host, Severity::Warning, codes::ASM_COMMENT, message));
        }
    }
}

/// Whether a piece is in another literal than the one before it, and not the continuation of a line.
fn is_next_literal(before: &Piece, piece: &Piece) -> bool {
    let are_copied = before.kind == PieceKind::Copied && piece.kind == PieceKind::Copied;
    are_copied && piece.host.start > before.host.end + 1
}
