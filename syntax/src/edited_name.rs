//! An edit of the name that an item declares. The rest of its tree stays as it is, however long it is.

use rowan::{TextRange, TextSize};

use crate::edited_chunk::Step;
use crate::generated::kinds::SyntaxKind;
use crate::language::Language;
use crate::parser::Parser;
use crate::tree::{Node, Tree};
use crate::tree_edit::{Replaced, TreeEdit};

/// The name after the edit.
pub(crate) struct EditedName {
    /// The way from the root to the name.
    pub(crate) path: Vec<Step>,
    /// The node of the name.
    pub(crate) tree: Tree,
    /// What changed.
    pub(crate) edit: TreeEdit,
}

impl EditedName {
    /// The name with `changed` inside or at its ends, a range of the old text; `text` is the new text of the item, which is `delta` bytes
    /// longer. `None` if it was not one word, or is no longer one of the same kind.
    pub(crate) fn find(
        language: Language,
        root: Node<'_>,
        changed: TextRange,
        text: &str,
        delta: i64,
    ) -> Option<EditedName> {
        let (path, old) = name_around(root, changed)?;
        let kind = old.first_token().filter(|token| token.range() == old.range())?.kind;
        let end = (i64::from(u32::from(old.range().end())) + delta) as u32;
        let new = TextRange::new(old.range().start(), TextSize::new(end));
        if !is_word(language, text, new, kind) {
            return None;
        }
        let name = &text[new];
        let lexed = (language.lex)(name);
        let mut parser = Parser::new(name, &lexed);
        let node = parser.start();
        parser.bump();
        node.complete(&mut parser, SyntaxKind::NAME);
        let (tree, _) = parser.finish(&name.into());
        Some(EditedName { path, tree, edit: TreeEdit { old: old.range(), new, replaced: Replaced::Name } })
    }
}

/// The name directly in the declaration of an item, and the way to it.
fn name_around(root: Node<'_>, changed: TextRange) -> Option<(Vec<Step>, Node<'_>)> {
    let (to_declaration, declaration) = child_around(root, changed, |_| true)?;
    let (to_name, name) = child_around(declaration, changed, |kind| kind == SyntaxKind::NAME)?;
    Some((vec![Step { index: 0, child: 0 }, to_declaration, to_name], name))
}

/// The node directly in another one that a change lies in, or at an end of.
fn child_around(
    node: Node<'_>,
    changed: TextRange,
    is_wanted: impl Fn(SyntaxKind) -> bool,
) -> Option<(Step, Node<'_>)> {
    node.elements().enumerate().find_map(|(child, element)| {
        let node = element.into_node().filter(|node| is_wanted(node.kind()))?;
        node.range().contains_range(changed).then_some((Step { index: node.index(), child }, node))
    })
}

/// Whether a range is a token of a kind, with tokens of their own before and after it.
fn is_word(language: Language, text: &str, range: TextRange, kind: SyntaxKind) -> bool {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let around = start.checked_sub(1).and_then(|before| text.get(before..end + 1));
    around.is_some_and(|around| {
        let lexed = (language.lex)(around);
        let [before, name, after] = lexed.tokens() else { return false };
        let ends = [before.end as usize, name.end as usize, after.end as usize];
        lexed.errors.is_empty() && name.kind == kind && ends == [1, around.len() - 1, around.len()]
    })
}
