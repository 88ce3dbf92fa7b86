//! Parses an item alone, and a whole file item by item.

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

/// A tree and its errors. It is cheap to clone and can be shared between threads.
#[derive(Debug, Clone)]
pub struct Parse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tree: Tree,
    errors: Vec<SyntaxError>,
    /// The items, if this is a file.
    items: Vec<Parse>,
    /// The tree as rowan's, whose nodes know their parents. Built on demand.
    green: OnceLock<GreenNode>,
}

impl Parse {
    /// A parse of an item; `green` is rowan's tree, if it has been built.
    pub(crate) fn new(tree: Tree, errors: Vec<SyntaxError>, green: Option<GreenNode>) -> Parse {
        let green = green.map_or_else(OnceLock::new, OnceLock::from);
        Parse(Arc::new(Inner { tree, errors, items: Vec::new(), green }))
    }

    /// The root, as a cursor to its descendants; the fastest way to read a whole tree.
    pub fn root(&self) -> Node<'_> {
        self.0.tree.root()
    }

    /// The roots of the items of a file, each with offsets relative to the start of its item. Empty if this
    /// is a single item.
    pub fn items(&self) -> impl Iterator<Item = Node<'_>> {
        self.0.items.iter().map(Parse::root)
    }

    /// The root of the tree whose nodes know their parents. The first call builds that tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green().clone())
    }

    /// The green root of the tree that [`Self::syntax`] returns, without parents and offsets.
    pub fn green(&self) -> &GreenNode {
        self.0.green.get_or_init(|| green::build(&self.0.tree))
    }

    /// The green root, if it has been built.
    pub(crate) fn known_green(&self) -> Option<&GreenNode> {
        self.0.green.get()
    }

    /// Unwraps the tree; copies it if the parse is shared.
    pub(crate) fn into_tree(self) -> Tree {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.tree.clone(), |inner| inner.tree)
    }

    pub fn text(&self) -> &str {
        self.0.tree.text()
    }

    pub fn errors(&self) -> &[SyntaxError] {
        &self.0.errors
    }
}

/// Parses one item of an [`ItemList`]: an `ITEM` node over all of `text`, errors relative to its start.
pub fn parse_item(language: Language, text: &str) -> Parse {
    parse_shared_item(language, &text.into())
}

/// Like [`parse_item`], but the tree shares the caller's text.
pub fn parse_shared_item(language: Language, text: &Arc<str>) -> Parse {
    let mut lexed = (language.lex)(text);
    let mut parser = Parser::new(text, &lexed);
    (language.parse_item)(&mut parser);
    let (tree, found) = parser.finish(text);
    Parse::new(tree, in_order(std::mem::take(&mut lexed.errors), found), None)
}

/// Parses a whole file: a `SOURCE_FILE` whose children are the trees of its items.
pub fn parse_file(language: Language, text: &str) -> Parse {
    let list = ItemList::new(language, text);
    let items: Vec<Parse> = list.iter().map(|item| parse_item(language, &item.text)).collect();
    let mut start = TextSize::new(0);
    let mut errors = Vec::new();
    for item in &items {
        let moved = |error: &SyntaxError| SyntaxError { range: error.range + start, ..error.clone() };
        errors.extend(item.errors().iter().map(moved));
        start += TextSize::of(item.text());
    }
    let trees: Vec<&Tree> = items.iter().map(|item| &item.0.tree).collect();
    let tree = Tree::around(SyntaxKind::SOURCE_FILE, text, &trees);
    Parse(Arc::new(Inner { tree, errors, items, green: OnceLock::new() }))
}
