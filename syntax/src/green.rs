//! Builds rowan's tree, whose nodes know their parents, from a [`Tree`].

use rowan::{GreenNode, GreenNodeBuilder};

use crate::tree::Tree;

pub(crate) fn build(tree: &Tree) -> GreenNode {
    let mut builder = GreenNodeBuilder::new();
    // For each open node, the index of the first element after it.
    let mut ends = Vec::new();
    for (at, (element, text)) in tree.elements().enumerate() {
        while ends.pop_if(|end| *end == at).is_some() {
            builder.finish_node();
        }
        match element.span as usize {
            0 => builder.token(element.kind.into(), text),
            span => {
                builder.start_node(element.kind.into());
                ends.push(at + span);
            }
        }
    }
    ends.iter().for_each(|_| builder.finish_node());
    builder.finish()
}
