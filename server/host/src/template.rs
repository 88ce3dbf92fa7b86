//! The text of a statement, and where each part of it is in the host file.

use std::ops::Range;

use crate::replaced::Edit;

/// The text after the host language has decoded its literals. What belongs to the template language stays: `%0`, `%%`, `{x}`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pub text: String,
    /// The parts of the text that a host file has, in order. All offsets count bytes.
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub template: Range<usize>,
    pub host: Range<usize>,
    pub kind: PieceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Both texts are equal.
    Copied,
    /// The host writes this text in another way: an escape, a line end, the comma between two lines.
    Decoded,
    /// The text is not known.
    Hole,
}

impl Template {
    /// What stands for unknown text.
    pub const HOLE: char = '\u{fffc}';

    /// Adds text that the host file contains as it is, from `start`.
    pub fn copy(&mut self, text: &str, start: usize) {
        let from = self.text.len();
        self.text.push_str(text);
        if let Some(last) = self.pieces.last_mut()
            && last.kind == PieceKind::Copied
            && last.host.end == start
        {
            last.template.end += text.len();
            last.host.end += text.len();
        } else if !text.is_empty() {
            let host = start..start + text.len();
            self.pieces.push(Piece { template: from..self.text.len(), host, kind: PieceKind::Copied });
        }
    }

    /// Adds text that `host` denotes.
    pub fn decode(&mut self, text: &str, host: Range<usize>) {
        self.push(text, host, PieceKind::Decoded);
    }

    /// Adds unknown text.
    pub fn hole(&mut self, host: Range<usize>) {
        self.push(Self::HOLE.encode_utf8(&mut [0; 4]), host, PieceKind::Hole);
    }

    /// Adds text that is in no host file.
    pub fn invent(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds text in place of a hole.
    pub fn fill(&mut self, text: &str, host: Range<usize>) {
        self.push(text, host, PieceKind::Hole);
    }

    fn push(&mut self, text: &str, host: Range<usize>, kind: PieceKind) {
        if !text.is_empty() {
            let from = self.text.len();
            self.text.push_str(text);
            self.pieces.push(Piece { template: from..self.text.len(), host, kind });
        }
    }

    pub fn append(&mut self, other: &Template) {
        other.pieces.iter().for_each(|piece| self.append_part(other, piece.template.clone()));
    }

    /// Adds a part of another template with its positions.
    pub fn append_part(&mut self, other: &Template, part: Range<usize>) {
        let first = other.pieces.partition_point(|piece| piece.template.end <= part.start);
        for piece in other.pieces[first..].iter().take_while(|piece| piece.template.start < part.end) {
            let from = piece.template.start.max(part.start);
            let to = piece.template.end.min(part.end);
            let Some(text) = other.text.get(from..to) else { continue };
            match piece.kind {
                PieceKind::Copied => self.copy(text, piece.host.start + from - piece.template.start),
                kind => self.push(text, piece.host.clone(), kind),
            }
        }
    }

    /// Edits the text of a piece. The positions in the host file are still those before the edit, except that the piece ends where its
    /// new text does.
    pub(crate) fn edit(&mut self, piece: usize, edit: &Edit<'_>) {
        let Piece { template, host, .. } = &self.pieces[piece];
        let start = template.start + edit.removed.start - host.start;
        self.text.replace_range(start..start + edit.removed.len(), edit.inserted);
        let moved = |at: usize| at - edit.removed.len() + edit.inserted.len();
        self.pieces[piece].template.end = moved(self.pieces[piece].template.end);
        for later in &mut self.pieces[piece + 1..] {
            later.template = moved(later.template.start)..moved(later.template.end);
        }
    }

    /// Moves the positions in the host file after an edit.
    pub fn move_after(&mut self, edit: &Edit<'_>) {
        for piece in &mut self.pieces {
            // Text that is inserted at the start of a literal belongs to it.
            let is_edited = piece.kind == PieceKind::Copied && piece.host.start == edit.removed.start;
            let start = if is_edited { piece.host.start } else { edit.moved(piece.host.start) };
            piece.host = start..edit.moved(piece.host.end);
        }
    }

    pub fn holes(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.kind == PieceKind::Hole).count()
    }

    /// The part of the host file that a part of the text comes from; `None` if the text has no such part. An empty part has the
    /// position of the character after it, or else of the end.
    pub fn to_host(&self, part: Range<usize>) -> Option<Range<usize>> {
        if part.is_empty() {
            let at = match self.piece_at(part.start) {
                Some(piece) => host_start(piece, part.start),
                None => self.pieces.last().filter(|last| last.template.end == part.start)?.host.end,
            };
            return Some(at..at);
        }
        let (first, last) = (self.piece_at(part.start)?, self.piece_at(part.end - 1)?);
        let end = match last.kind {
            PieceKind::Copied => last.host.start + part.end - last.template.start,
            PieceKind::Decoded | PieceKind::Hole => last.host.end,
        };
        let start = host_start(first, part.start);
        Some(start..end.max(start))
    }

    /// Where the host file takes an insertion: in the literal of the character before it, or else of the one after it.
    pub fn insertion(&self, at: usize) -> Option<usize> {
        match at.checked_sub(1).and_then(|before| self.to_host(before..at)) {
            Some(before) => Some(before.end),
            None => Some(self.to_host(at..at)?.start),
        }
    }

    /// Like [`to_host`](Template::to_host), for a part that one stretch of the host file denotes: `None` if something else is between its
    /// characters, such as quotes or a line splice, or if it has unknown text or a part of an escape.
    pub fn to_joined(&self, part: Range<usize>) -> Option<Range<usize>> {
        let first = self.pieces.partition_point(|piece| piece.template.end <= part.start);
        let last = self.pieces.partition_point(|piece| piece.template.start < part.end);
        let touched = self.pieces.get(first..last.max(first))?;
        let is_joined = touched.windows(2).all(|pair| pair[0].host.end == pair[1].host.start);
        let is_whole = |piece: &Piece| match piece.kind {
            PieceKind::Copied => true,
            PieceKind::Decoded => part.start <= piece.template.start && piece.template.end <= part.end,
            PieceKind::Hole => false,
        };
        if !is_joined || !touched.iter().all(is_whole) {
            return None;
        }
        self.to_host(part)
    }

    /// The piece with this byte of the text.
    pub fn piece_at(&self, offset: usize) -> Option<&Piece> {
        let index = self.pieces.partition_point(|piece| piece.template.end <= offset);
        self.pieces.get(index).filter(|piece| piece.template.contains(&offset))
    }
}

fn host_start(piece: &Piece, offset: usize) -> usize {
    match piece.kind {
        PieceKind::Copied => piece.host.start + offset - piece.template.start,
        PieceKind::Decoded | PieceKind::Hole => piece.host.start,
    }
}
