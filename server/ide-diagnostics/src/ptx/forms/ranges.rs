//! The ranges of the parts of a statement. They are read from the tree, which is built only to locate a problem.

use text_size::TextRange;
use warplens_hir::ptx::{Instruction, OperandPosition};
use warplens_ide_db::token_covering;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{Parse, SyntaxKind, SyntaxNode};

/// The tree of a function.
pub(super) struct StatementRanges {
    parse: Parse,
}

impl StatementRanges {
    pub(super) fn new(parse: Parse) -> StatementRanges {
        StatementRanges { parse }
    }

    /// Whether a statement has no syntax error.
    pub(super) fn is_whole(&self, instruction: Instruction<'_>) -> bool {
        let range = instruction.range();
        !self.parse.errors().iter().any(|error| range.contains_range(error.range))
    }

    fn node(&self, instruction: Instruction<'_>) -> Option<ast::Instruction> {
        let opcode = token_covering(&self.parse.syntax(), instruction.opcode_range().start())?;
        ast::Instruction::cast(opcode.parent()?)
    }

    /// The opcode with its modifiers.
    pub(super) fn mnemonic(&self, instruction: Instruction<'_>) -> Option<TextRange> {
        let last = self.node(instruction)?.modifiers().last();
        let opcode = instruction.opcode_range();
        Some(last.map_or(opcode, |last| opcode.cover(last.text_range())))
    }

    /// A modifier with its dot.
    pub(super) fn modifier(&self, instruction: Instruction<'_>, index: usize) -> Option<TextRange> {
        Some(self.node(instruction)?.modifiers().nth(index)?.text_range())
    }

    /// An operand, or a part or an element of it; the mnemonic if the operand is missing.
    pub(super) fn operand(&self, instruction: Instruction<'_>, place: OperandPosition) -> Option<TextRange> {
        let Some(operand) = self.operand_node(instruction, place.operand) else {
            return self.mnemonic(instruction);
        };
        let part = place.part.and_then(|part| operand.children().nth(part)).unwrap_or(operand);
        let element = place.element.and_then(|element| part.children().nth(element));
        Some(element.unwrap_or(part).text_range())
    }

    /// All operands from this one on.
    pub(super) fn operands_from(&self, instruction: Instruction<'_>, first: usize) -> Option<TextRange> {
        let operands = operands(&self.node(instruction)?);
        let (first, last) = (operands.get(first)?, operands.last()?);
        Some(first.text_range().cover(last.text_range()))
    }

    fn operand_node(&self, instruction: Instruction<'_>, index: usize) -> Option<SyntaxNode> {
        operands(&self.node(instruction)?).get(index).cloned()
    }
}

/// The operands in the numbering of lowering.
fn operands(instruction: &ast::Instruction) -> Vec<SyntaxNode> {
    let is_operand = |node: &SyntaxNode| !matches!(node.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR);
    instruction.syntax().children().filter(is_operand).collect()
}
