//! Semantic tokens inside the literals.

use text_size::{TextRange, TextSize};
use warplens_host::PieceKind;
use warplens_ide_db::{Database, SemanticToken};

use super::document::HostDocument;
use super::place::Place;
use super::ranges::text_range;
use crate::ptx::PTX;
use crate::tokens;

/// The tokens of the statements that overlap a range.
pub(crate) fn tokens_in(db: &Database, document: &HostDocument, range: TextRange) -> Vec<SemanticToken> {
    let mut found = Vec::new();
    for (index, statement) in document.statements.iter().enumerate() {
        let place = document.place(index);
        let own = text_range(statement.range.clone());
        if own.intersect(range).is_none() {
            continue;
        }
        let body = text_range(place.module().body.clone());
        for token in tokens::tokens_in(db, place.embedded.file, &PTX, body) {
            parts(&place, token.range, |range| found.push(SemanticToken { range, ..token }));
        }
    }
    found.retain(|token| token.range.intersect(range).is_some_and(|common| !common.is_empty()));
    found.sort_by_key(|token| token.range.start());
    let mut end = TextSize::new(0);
    // A macro may use the same literal in two statements.
    found.retain(|token| {
        let is_next = token.range.start() >= end;
        if is_next {
            end = token.range.end();
        }
        is_next
    });
    found
}

/// The parts of the host file that a range of the PTX document comes from, one for each literal.
fn parts(place: &Place<'_>, range: TextRange, mut add: impl FnMut(TextRange)) {
    let part = usize::from(range.start())..usize::from(range.end());
    let pieces = place.pieces();
    let first = pieces.partition_point(|piece| piece.template.end <= part.start);
    let last = pieces.partition_point(|piece| piece.template.start < part.end);
    let mut joined: Option<std::ops::Range<usize>> = None;
    for piece in pieces.get(first..last).unwrap_or_default() {
        if piece.kind == PieceKind::Hole {
            continue;
        }
        let from = piece.template.start.max(part.start);
        let Some(host) = place.module().text.to_host(from..piece.template.end.min(part.end)) else {
            continue;
        };
        joined = match joined {
            Some(before) if before.end == host.start => Some(before.start..host.end),
            Some(before) => {
                add(text_range(before));
                Some(host)
            }
            None => Some(host),
        };
    }
    joined.into_iter().for_each(|range| add(text_range(range)));
}
