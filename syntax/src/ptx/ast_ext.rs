//! Accessors of the typed tree that need more than a child look-up.

use crate::ast::support;
use crate::chunks;
use crate::ptx::ast::*;
use crate::{SyntaxKind, SyntaxToken};

impl Name {
    /// The declared name; empty if the text is incomplete.
    pub fn text(&self) -> String {
        self.ident_token().map_or_else(String::new, |token| token.text().to_owned())
    }
}

impl NameRef {
    /// The name; empty if the text is incomplete.
    pub fn text(&self) -> String {
        self.ident_token().map_or_else(String::new, |token| token.text().to_owned())
    }
}

impl Block {
    /// The statements in order, including those in chunks.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        chunks::statements(&self.syntax)
    }
}

impl Function {
    /// Whether the function is a kernel: `.entry` rather than `.func`.
    pub fn is_kernel(&self) -> bool {
        self.directive_token().is_some_and(|token| token.text() == ".entry")
    }
}

impl Instruction {
    /// Opcode and modifiers as one word, without any white space between them.
    pub fn full_name(&self) -> String {
        let opcode = self.opcode_token().map_or_else(String::new, |token| token.text().to_owned());
        self.modifiers().fold(opcode, |name, modifier| name + modifier.text())
    }
}

impl Guard {
    /// Whether the guard is `@!p`.
    pub fn is_negated(&self) -> bool {
        self.bang_token().is_some()
    }
}

impl Literal {
    /// The number or string itself.
    pub fn token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, &[SyntaxKind::INT_NUMBER, SyntaxKind::FLOAT_NUMBER, SyntaxKind::STRING])
    }
}
