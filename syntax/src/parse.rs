//! The two ways in: an item alone, and a whole file as its items.

use std::sync::{Arc, OnceLock};

use rowan::{GreenNode, TextSize};

use crate::error::{SyntaxError, in_order};
use crate::generated::kinds::SyntaxKind;
use crate::green;
use crate::items::ItemList;
use crate::language::Language;
use crate::parser::Parser;
use crate::syntax_node::SyntaxNode;
use crate::tree::{Node, Tree};

/// A tree and the mistakes found on the way. Cloning it is cheap, and threads may share it.
#[derive(Debug, Clone)]
pub struct Parse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tree: Tree,
    errors: Vec<SyntaxError>,
    /// Of a file, its items.
    items: Vec<Parse>,
    /// The same tree for those who want to go from nodes to their parents.
    green: OnceLock<GreenNode>,
}

impl Parse {
    pub(crate) fn new(tree: Tree, errors: Vec<SyntaxError>) -> Parse {
        Parse(Arc::new(Inner { tree, errors, items: Vec::new(), green: OnceLock::new() }))
    }

    /// The same, where rowan's tree is known already.
    pub(crate) fn with_green(self, green: GreenNode) -> Parse {
        // Nobody else has it yet, so it is not there.
        let _ = self.0.green.set(green);
        self
    }

    /// The root, as a cursor that goes inwards. To read a whole tree, this is the quickest.
    pub fn root(&self) -> Node<'_> {
        self.0.tree.root()
    }

    /// The roots of the items of a file, with places that count from the start of each. Of an item that was parsed alone there are
    /// none.
    pub fn items(&self) -> impl Iterator<Item = Node<'_>> {
        self.0.items.iter().map(Parse::root)
    }

    /// The root of the tree whose nodes know their parents. It is made when it is first asked for.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green().clone())
    }

    /// The root of that tree without parents and offsets.
    pub fn green(&self) -> &GreenNode {
        self.0.green.get_or_init(|| green::build(&self.0.tree))
    }

    /// That tree, if it was asked for.
    pub(crate) fn known_green(&self) -> Option<&GreenNode> {
        self.0.green.get()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        self.0.tree.text()
    }

    /// The mistakes, in the order of the text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.0.errors
    }
}

/// Parses one item of an [`ItemList`]: an `ITEM` node over all of `text`, errors relative to its start.
pub fn parse_item(language: Language, text: &str) -> Parse {
    let mut lexed = (language.lex)(text);
    let mut parser = Parser::new(text, &lexed);
    (language.parse_item)(&mut parser);
    let (events, found) = parser.finish();
    let tree = Tree::build(text, &lexed, events);
    Parse::new(tree, in_order(std::mem::take(&mut lexed.errors), found))
}

/// Parses a whole file: a `SOURCE_FILE` whose children are the trees of its items.
pub fn parse_file(language: Language, text: &str) -> Parse {
    let list = ItemList::new(language, text);
    let items: Vec<Parse> = list.items().iter().map(|item| parse_item(language, &item.text)).collect();
    let mut start = TextSize::new(0);
    let mut errors = Vec::new();
    for item in &items {
        let moved = |error: &SyntaxError| SyntaxError { range: error.range + start, ..error.clone() };
        errors.extend(item.errors().iter().map(moved));
        start += TextSize::of(item.text());
    }
    let trees: Vec<&Tree> = items.iter().map(Parse::tree).collect();
    let tree = Tree::around(SyntaxKind::SOURCE_FILE, text, &trees);
    Parse(Arc::new(Inner { tree, errors, items, green: OnceLock::new() }))
}
