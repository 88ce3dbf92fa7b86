//! The style of WAVE: kernels are not indented, their statements by four spaces, and by four more in every `if` and `loop`,
//! as described in `docs/formatting.md`. Constructs are counted as written, so a missing `endif` indents the lines after it,
//! which shows the mistake.

pub(super) mod typed;

use text_size::TextRange;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, WalkEvent};

use crate::format::layout::{Gap, Indent, Layout};

/// Lays out the statements of an item that overlap `window`. In a long body `pause` is called periodically.
pub(super) fn item(
    root: &SyntaxNode,
    text: &str,
    window: TextRange,
    layout: &mut Layout<'_>,
    pause: impl Fn(),
) {
    let mut walk = Walk { text, stack: Vec::new(), depth: 0, lead: None, before: None };
    let mut events = root.preorder_with_tokens();
    while let Some(event) = events.next() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) => {
                if node.kind() == CHUNK {
                    pause();
                }
                walk.enter(&node);
                let range = node.text_range();
                if is_statement(node.kind()) && range.intersect(window).is_none() {
                    events.skip_subtree();
                    layout.pass(range, Gap::Line(walk.lead.take().unwrap_or(Indent::Flush)));
                    walk.before = None;
                }
            }
            WalkEvent::Leave(NodeOrToken::Node(_)) => {
                walk.stack.pop();
            }
            WalkEvent::Enter(NodeOrToken::Token(token)) => match token.kind() {
                WHITESPACE => {}
                kind if kind.is_trivia() => layout.trivia(token.text_range(), kind),
                kind => layout.token(token.text_range(), kind, walk.gap(kind)),
            },
            WalkEvent::Leave(NodeOrToken::Token(_)) => {}
        }
    }
    layout.end_item();
}

fn is_statement(kind: SyntaxKind) -> bool {
    matches!(kind, DIRECTIVE | LABEL | INSTRUCTION)
}

struct Walk<'t> {
    text: &'t str,
    /// The ancestors of the token.
    stack: Vec<SyntaxKind>,
    /// The number of open `if` and `loop`.
    depth: u8,
    /// The next token starts a line, with this indentation.
    lead: Option<Indent>,
    /// The previous token, and its node.
    before: Option<(SyntaxKind, SyntaxKind)>,
}

impl Walk<'_> {
    fn enter(&mut self, node: &SyntaxNode) {
        let lead = match node.kind() {
            KERNEL_HEADER => Some(Indent::Level(0)),
            KERNEL_END => Some(Indent::Closing(0)),
            DIRECTIVE | LABEL => Some(Indent::Level(0)),
            INSTRUCTION => Some(self.instruction(node)),
            _ => None,
        };
        self.lead = lead.or(self.lead);
        self.stack.push(node.kind());
    }

    /// The indentation of an instruction; counts the constructs that it opens and closes.
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

    /// The gap before a token.
    fn gap(&mut self, kind: SyntaxKind) -> Gap {
        let parent = self.stack.last().copied().unwrap_or(ITEM);
        let gap = match (self.lead.take(), self.before) {
            (Some(indent), _) => Gap::Line(indent),
            // Not a statement: it has an error, and stays in place.
            (None, None) => Gap::Kept(" ", Indent::Flush),
            (None, Some(before)) => Gap::Same(spaces(before, kind, parent)),
        };
        self.before = Some((kind, parent));
        gap
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
