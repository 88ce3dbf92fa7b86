//! The two ways in: an item alone, and a whole file as its items.

use std::sync::Arc;

use rowan::{GreenNode, NodeOrToken};

use crate::items::ItemList;
use crate::lexed::Lexed;
use crate::parser::Parser;
use crate::reparse;
use crate::{Language, SyntaxError, SyntaxKind, SyntaxNode, builder, ptx, wave};

/// A tree and the mistakes found on the way. Cloning it is cheap, and threads may share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    green: GreenNode,
    errors: Arc<[SyntaxError]>,
}

impl Parse {
    pub(crate) fn new(green: GreenNode, errors: Vec<SyntaxError>) -> Parse {
        Parse { green, errors: errors.into() }
    }

    /// The root of the tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The root without parents and offsets.
    pub fn green(&self) -> &GreenNode {
        &self.green
    }

    /// The mistakes, in the order of the text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }
}

/// Parses one item of an [`ItemList`]: an `ITEM` node over all of `text`, errors relative to its start.
pub fn parse_item(language: Language, text: &str) -> Parse {
    match language {
        Language::Ptx => parse_with(text, ptx::lexer::lex, ptx::grammar::item),
        Language::Wave => parse_with(text, wave::lexer::lex, wave::grammar::item),
    }
}

/// Parses a whole file: a `SOURCE_FILE` whose children are the trees of its items.
pub fn parse_file(language: Language, text: &str) -> Parse {
    let mut children = Vec::new();
    let mut errors = Vec::new();
    let mut start = rowan::TextSize::new(0);
    for item in ItemList::new(language, text).items() {
        let parse = parse_item(language, &item.text);
        errors.extend(
            parse.errors.iter().map(|error| SyntaxError { range: error.range + start, ..error.clone() }),
        );
        start += parse.green.text_len();
        children.push(NodeOrToken::Node(parse.green));
    }
    Parse::new(GreenNode::new(SyntaxKind::SOURCE_FILE.into(), children), errors)
}

/// What [`parse_item`] gives for `text`, made from the tree of an earlier text of the same item where that
/// is faster: in a long body only the chunk that changed is parsed.
pub fn reparse_item(language: Language, old: &Parse, old_text: &str, text: &str) -> Parse {
    reparse::reparse(language, old, old_text, text).unwrap_or_else(|| parse_item(language, text))
}

fn parse_with(text: &str, lex: fn(&str) -> Lexed, grammar: fn(&mut Parser<'_>)) -> Parse {
    let lexed = lex(text);
    let mut parser = Parser::new(text, &lexed);
    grammar(&mut parser);
    let (events, found) = parser.finish();
    let mut errors = lexed.errors.clone();
    errors.extend(found);
    errors.sort_by_key(|error| error.range.start());
    Parse::new(builder::build(text, &lexed, events), errors)
}
