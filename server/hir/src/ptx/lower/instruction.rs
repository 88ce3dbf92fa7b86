//! Instructions: guard, mnemonic, operands.

use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, NodeOrToken};

use super::super::model::InstructionData;
use super::super::{Guard, Role};
use super::body::Body;
use super::operand::Context;

impl<'a> Body<'a> {
    pub(super) fn instruction(&mut self, node: Node<'a>) {
        self.mnemonics.words.clear();
        let mut nodes = std::mem::take(&mut self.nodes);
        let (mut opcode, mut guard) = (None, None);
        for element in node.elements() {
            match element {
                NodeOrToken::Token(word) if matches!(word.kind, IDENT | DOT_WORD) => {
                    self.mnemonics.words.push(word.word());
                    if word.kind == IDENT {
                        opcode.get_or_insert(word.start);
                    }
                }
                NodeOrToken::Token(_) => {}
                NodeOrToken::Node(node) => match node.kind() {
                    GUARD => guard = self.guard(node),
                    ERROR => {}
                    _ => nodes.push(node),
                },
            }
        }
        if let Some(opcode) = opcode {
            let first_is_list = nodes.first().is_some_and(|first| first.kind() == ARG_LIST);
            let (mnemonic, roles) = self.mnemonics.intern(nodes.len(), first_is_list);
            let start = self.scratch.len();
            for (index, operand) in nodes.iter().enumerate() {
                let operand = self.operand(*operand, Context::new(roles.role(index)));
                self.scratch.push(operand);
            }
            let operands = self.keep(start);
            self.instructions.push(InstructionData::new(node.range(), opcode, mnemonic, operands, guard));
        }
        nodes.clear();
        self.nodes = nodes;
    }

    fn guard(&mut self, guard: Node<'a>) -> Option<Guard> {
        let name = guard.child(NAME_REF)?.token(IDENT)?;
        let negated = guard.token(BANG).is_some();
        Some(Guard { name: self.scopes.refer(name, Role::Read), negated })
    }
}
