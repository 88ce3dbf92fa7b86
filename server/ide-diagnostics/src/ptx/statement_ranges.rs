//! The ranges of the parts of a statement, read from the parse: lowering keeps few of them.

use std::cell::{OnceCell, RefCell};

use text_size::TextRange;
use warplens_hir::ptx::{Instruction, OperandPosition};
use warplens_syntax::{Node, NodePath, Parse, SyntaxKind, Token};

pub(super) struct StatementRanges {
    parse: Parse,
    path: RefCell<NodePath>,
    /// The ranges of syntax errors by their starts, once they are needed.
    errors: OnceCell<Vec<TextRange>>,
}

impl StatementRanges {
    pub(super) fn new(parse: Parse) -> StatementRanges {
        StatementRanges { parse, path: RefCell::default(), errors: OnceCell::new() }
    }

    /// Whether a statement has no syntax error.
    pub(super) fn is_whole(&self, instruction: Instruction<'_>) -> bool {
        let range = instruction.range();
        let errors = self.errors.get_or_init(|| {
            let mut errors: Vec<_> = self.parse.errors().iter().map(|error| error.range).collect();
            errors.sort_unstable_by_key(|error| error.start());
            errors
        });
        let first = errors.partition_point(|error| error.start() < range.start());
        let mut inside = errors[first..].iter().take_while(|error| error.start() <= range.end());
        !inside.any(|error| range.contains_range(*error))
    }

    fn node(&self, instruction: Instruction<'_>) -> Option<Node<'_>> {
        let offset = instruction.opcode_range().start();
        let innermost = self.path.borrow_mut().around(self.parse.root(), offset).next_back()?;
        (innermost.kind() == SyntaxKind::INSTRUCTION).then_some(innermost)
    }

    /// The opcode with its modifiers.
    pub(super) fn mnemonic(&self, instruction: Instruction<'_>) -> Option<TextRange> {
        let last = modifiers(self.node(instruction)?).last();
        let opcode = instruction.opcode_range();
        Some(last.map_or(opcode, |last| opcode.cover(last)))
    }

    /// A modifier with its dot.
    pub(super) fn modifier(&self, instruction: Instruction<'_>, index: usize) -> Option<TextRange> {
        modifiers(self.node(instruction)?).nth(index)
    }

    /// An operand, or a part or an element of it; the mnemonic if the operand is missing.
    pub(super) fn operand(&self, instruction: Instruction<'_>, place: OperandPosition) -> Option<TextRange> {
        let Some(operand) = operands(self.node(instruction)?).nth(place.operand) else {
            return self.mnemonic(instruction);
        };
        let part = place.part.and_then(|part| operand.nodes().nth(part)).unwrap_or(operand);
        let element = place.element.and_then(|element| part.nodes().nth(element));
        Some(element.unwrap_or(part).range())
    }

    pub(super) fn operands_from(&self, instruction: Instruction<'_>, first: usize) -> Option<TextRange> {
        let mut operands = operands(self.node(instruction)?).skip(first);
        let first = operands.next()?;
        Some(first.range().cover(operands.last().unwrap_or(first).range()))
    }

    pub(super) fn last_list(&self, call: Instruction<'_>) -> Option<TextRange> {
        let lists = self.node(call)?.nodes().filter(|node| node.kind() == SyntaxKind::ARG_LIST);
        lists.last().map(Node::range)
    }
}

fn modifiers(instruction: Node<'_>) -> impl Iterator<Item = TextRange> {
    instruction.tokens_of([SyntaxKind::DOT_WORD]).map(Token::range)
}

/// The operands in the numbering of lowering.
fn operands(instruction: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    instruction.nodes().filter(|node| !matches!(node.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR))
}
