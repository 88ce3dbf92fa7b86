//! Finds the nodes around many offsets. Ascending offsets are found in one walk of the tree, however many children its nodes
//! have.

use rowan::TextSize;

use crate::tree::Node;

/// The nodes around the last offset, outermost first, each with its next child to look at.
#[derive(Debug, Default)]
pub struct NodePath {
    offset: TextSize,
    steps: Vec<Step>,
}

/// Positions in the tree: indices of elements with their offsets.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: (u32, TextSize),
    next: (u32, TextSize),
}

impl NodePath {
    /// The root and its descendants that contain the text at an offset, the innermost last. All calls get the same root.
    pub fn around<'a>(
        &mut self,
        root: Node<'a>,
        offset: TextSize,
    ) -> impl DoubleEndedIterator<Item = Node<'a>> {
        if offset < self.offset {
            self.steps.clear();
        }
        self.offset = offset;
        let is_around = |step: &Step| root.at_position(step.node).range().contains(offset);
        self.steps.truncate(self.steps.iter().skip(1).take_while(|step| is_around(step)).count() + 1);
        if self.steps.is_empty() {
            self.steps.push(Step::new(root));
        }
        while let Some(last) = self.steps.last_mut()
            && let Some(inner) = last.find(root, offset)
        {
            self.steps.push(Step::new(inner));
        }
        self.steps.iter().map(move |step| root.at_position(step.node))
    }
}

impl Step {
    fn new(node: Node<'_>) -> Step {
        Step { node: node.position(), next: node.first_child_position() }
    }

    /// The child node that contains an offset. Children that end before it are skipped for good.
    fn find<'a>(&mut self, root: Node<'a>, offset: TextSize) -> Option<Node<'a>> {
        let (next, found) = root.at_position(self.node).child_around(self.next, offset);
        self.next = next;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_item;

    #[test]
    fn the_path_to_each_offset_is_the_one_found_from_the_root() {
        let text = ".entry k() {\n add.u32 %r1, %r2, 1;\n { mov.b64 {%r1, %r2}, %rd1; }\n x\n ret;\n}\n";
        let parse = parse_item(crate::ptx::LANGUAGE, text);
        let mut path = NodePath::default();
        for offset in (0..text.len() as u32).chain([30, 3, 40]).map(TextSize::new) {
            let found: Vec<_> = path.around(parse.root(), offset).map(Node::range).collect();
            let expected: Vec<_> = parse.root().around(offset).map(Node::range).collect();
            assert_eq!(found, expected, "{offset:?}");
        }
    }
}
