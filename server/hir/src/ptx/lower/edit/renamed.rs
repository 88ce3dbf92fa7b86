//! A function after an edit of its name: all that follows only moves.

use std::sync::Arc;

use warplens_syntax::SyntaxKind::{FUNCTION, IDENT, NAME};
use warplens_syntax::{Node, TreeEdit};

use super::{Body, Shift, TableRanges};
use crate::ptx::model::{Function, Parts, Referent};

impl Function {
    /// The function with another name; `None` if its body uses one of the names, which then mean something else.
    pub(super) fn renamed(before: Arc<Function>, item: Node<'_>, edit: &TreeEdit) -> Option<Function> {
        let name = item.child(FUNCTION)?.child(NAME)?.token(IDENT)?;
        if before.name_range != edit.old || name.range() != edit.new {
            return None;
        }
        let (at, word) = own_name(&before.parts, edit)?;
        let is_known = |text: &str| {
            warplens_isa::ptx::special_register(text).is_some()
                || before.parts.words.iter().any(|word| word == text)
        };
        if is_known(name.text) {
            return None;
        }
        let mut function = Arc::unwrap_or_clone(before);
        let nothing = TableRanges {
            instructions: 0..0,
            operands: 0..0,
            lists: 0..0,
            names: at + 1..at + 1,
            problems: 0..0,
        };
        let shift = Shift::of(&nothing, edit, &Body::default());
        function.parts.shift(&nothing, &shift);
        function.parts.shift_declarations(&shift);
        function.parts.words[word] = name.text.into();
        shift.signature(&mut function.signature);
        function.name = Some(name.text.into());
        function.name_range = edit.new;
        function.body = function.body.map(|range| edit.range(range));
        function.edits += 1;
        Some(function)
    }
}

/// The entry of the function's own name in the tables of names and of words, if that is its only use.
fn own_name(parts: &Parts, edit: &TreeEdit) -> Option<(usize, usize)> {
    let at = parts.names.partition_point(|name| name.start < edit.old.start());
    let referent = parts.names.get(at).filter(|name| name.start == edit.old.start())?.referent();
    let is_same = |name: &&crate::ptx::model::Name| name.referent() == referent;
    match parts.referents[referent.index()] {
        Referent::External(word) if parts.names.iter().filter(is_same).count() == 1 => {
            Some((at, word as usize))
        }
        _ => None,
    }
}
