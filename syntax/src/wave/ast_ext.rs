//! Accessors of the typed tree that need more than a child look-up.

use crate::ast::AstNode;
use crate::wave::ast::*;
use crate::{SyntaxKind, SyntaxNode};

impl Block {
    /// Its statements in order, those in chunks included.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        self.syntax.children().flat_map(|child| {
            let (chunk, direct): (Option<SyntaxNode>, _) = match child.kind() {
                SyntaxKind::CHUNK => (Some(child), None),
                _ => (None, Statement::cast(child)),
            };
            let inside = chunk.into_iter().flat_map(|chunk| chunk.children()).filter_map(Statement::cast);
            direct.into_iter().chain(inside)
        })
    }
}
