//! The style of WAVE: kernels are not indented, their statements are indented by four spaces, and by four more in every `if`
//! and `loop`; `docs/formatting.md` describes it. Constructs are counted as written, so a missing `endif` indents the lines
//! after it, which shows the mistake.

pub(super) mod typed;

use text_size::TextRange;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};

use crate::format::layout::{Gap, Indent};
use crate::format::style::Style;

pub(super) fn style(text: &str) -> Box<dyn Style + '_> {
    Box::new(Walk { text, stack: Vec::new(), depth: 0, lead: None, before: None })
}

struct Walk<'t> {
    text: &'t str,
    stack: Vec<SyntaxKind>,
    depth: u8,
    /// If set, the next token starts a line with this indentation.
    lead: Option<Indent>,
    /// The previous token, and its node.
    before: Option<(SyntaxKind, SyntaxKind)>,
}

impl Style for Walk<'_> {
    fn enter(&mut self, node: &SyntaxNode) -> bool {
        let lead = match node.kind() {
            KERNEL_HEADER => Some(Indent::Level(0)),
            KERNEL_END => Some(Indent::Closing(0)),
            DIRECTIVE | LABEL => Some(Indent::Level(0)),
            INSTRUCTION => Some(self.instruction(node)),
            _ => None,
        };
        self.lead = lead.or(self.lead);
        self.stack.push(node.kind());
        matches!(node.kind(), DIRECTIVE | LABEL | INSTRUCTION)
    }

    fn skip(&mut self) -> Indent {
        self.before = None;
        self.lead.take().unwrap_or(Indent::Flush)
    }

    fn leave(&mut self) {
        self.stack.pop();
    }

    fn gap(&mut self, kind: SyntaxKind, _: TextRange) -> Gap {
        let parent = self.stack.last().copied().unwrap_or(ITEM);
        let gap = match (self.lead.take(), self.before) {
            (Some(indent), _) => Gap::Line(indent),
            // Not a statement, because of an error. It stays in place.
            (None, None) => Gap::Kept(" ", Indent::Flush),
            (None, Some(before)) => Gap::Same(spaces(before, kind, parent)),
        };
        self.before = Some((kind, parent));
        gap
    }
}

impl Walk<'_> {
    /// Returns the indentation of an instruction, and counts the constructs that it opens and closes.
    fn instruction(&mut self, node: &SyntaxNode) -> Indent {
        let is_in_kernel = self.stack.contains(&KERNEL);
        let mut tokens = node.children_with_tokens().filter_map(NodeOrToken::into_token);
        let mnemonic = tokens.find(|token| token.kind() == IDENT).map(|token| &self.text[token.text_range()]);
        let inside = self.depth.saturating_add(u8::from(is_in_kernel));
        match mnemonic {
            Some("if" | "loop") => {
                self.depth = self.depth.saturating_add(1);
                Indent::Level(inside)
            }
            Some("else") => Indent::Closing(inside.saturating_sub(1)),
            Some("endif" | "endloop") if self.depth > 0 => {
                self.depth -= 1;
                Indent::Closing(inside - 1)
            }
            _ => Indent::Level(inside),
        }
    }
}

/// The spaces between two tokens of a statement.
fn spaces((before, around): (SyntaxKind, SyntaxKind), kind: SyntaxKind, parent: SyntaxKind) -> &'static str {
    match (before, kind) {
        (_, COMMA | COLON) => "",
        (AT | BANG, _) if matches!(around, GUARD | PREDICATE) => "",
        // A part of the mnemonic, or a half of a register.
        (_, DOT_WORD) if matches!(parent, INSTRUCTION | REGISTER) => "",
        _ => " ",
    }
}

#[cfg(test)]
mod tests;
