//! Positions: from the host file to the PTX document of a statement, and back.

use text_size::{TextRange, TextSize};
use warplens_host::{Piece, PieceKind, Statement};
use warplens_ide_db::{Database, FilePosition};
use warplens_ide_diagnostics::inline::Module;

use super::document::{Embedded, HostDocument};
use super::ranges::text_range;

/// A statement, and its PTX document.
#[derive(Clone, Copy)]
pub(super) struct Place<'h> {
    pub(super) document: &'h HostDocument,
    pub(super) statement: &'h Statement,
    pub(super) embedded: &'h Embedded,
}

impl HostDocument {
    pub(super) fn statement_at(&self, offset: TextSize) -> Option<Place<'_>> {
        self.index_at(offset).map(|index| self.place(index))
    }

    /// The number of the statement at an offset.
    pub(super) fn index_at(&self, offset: TextSize) -> Option<usize> {
        let offset = usize::from(offset);
        let index = self.statements.partition_point(|statement| statement.range.start <= offset);
        index.checked_sub(1).filter(|index| offset <= self.statements[*index].range.end)
    }

    pub(super) fn place(&self, index: usize) -> Place<'_> {
        Place { document: self, statement: &self.statements[index], embedded: &self.embedded[index] }
    }
}

impl<'h> Place<'h> {
    pub(super) fn module(&self) -> &'h Module {
        &self.embedded.module
    }

    /// The parts of the PTX document that the host file has.
    pub(super) fn pieces(&self) -> &'h [Piece] {
        &self.embedded.module.text.pieces
    }

    /// The offset in the PTX document of one in a literal. `None` outside of the literals, and in a hole.
    pub(super) fn offset(&self, offset: TextSize) -> Option<TextSize> {
        let offset = usize::from(offset);
        let pieces = self.pieces();
        let at = match pieces.iter().find(|piece| piece.host.contains(&offset)) {
            Some(Piece { kind: PieceKind::Hole, .. }) => return None,
            Some(piece) if piece.kind == PieceKind::Copied => {
                piece.template.start + offset - piece.host.start
            }
            Some(piece) => piece.template.start,
            // The end of a literal.
            None => pieces.iter().find(|piece| piece.host.end == offset)?.template.end,
        };
        TextSize::try_from(at).ok()
    }

    pub(super) fn position<'db>(&self, db: &'db Database, offset: TextSize) -> Option<FilePosition<'db>> {
        FilePosition::new(db, self.embedded.file, self.offset(offset)?)
    }

    /// The part of the host file that a range of the PTX document comes from. `None` if it has none, or if quotes or line splices are
    /// between its characters.
    pub(super) fn host(&self, range: TextRange) -> Option<TextRange> {
        let part = usize::from(range.start())..usize::from(range.end());
        self.module().text.to_joined(part).map(text_range)
    }
}
