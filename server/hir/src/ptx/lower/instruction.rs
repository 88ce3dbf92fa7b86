//! Instructions: guard, mnemonic, operands.

use rustc_hash::FxHashMap;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, NodeOrToken};

use super::super::model::InstructionData;
use super::super::{Guard, Mnemonic, MnemonicId, Role};
use super::body::Body;
use super::operand::Context;
use crate::ptx::signature::Roles;

/// The distinct mnemonics of a function.
#[derive(Default)]
pub(super) struct MnemonicInterner<'a> {
    mnemonics: Vec<Mnemonic>,
    ids: FxHashMap<Box<[&'a str]>, MnemonicId>,
    /// The roles for the last use of each, and what they depend on besides the words.
    roles: Vec<((usize, bool), Roles)>,
    /// The words being read.
    words: Vec<&'a str>,
}

impl<'a> MnemonicInterner<'a> {
    /// The mnemonic that the collected words make, and what it does with so many operands.
    fn intern(&mut self, operands: usize, first_is_list: bool) -> (MnemonicId, Roles) {
        let shape = (operands, first_is_list);
        if let Some(&id) = self.ids.get(&*self.words) {
            let (known, roles) = &mut self.roles[id.index()];
            if *known != shape {
                *known = shape;
                *roles = Roles::of(&self.mnemonics[id.index()], operands, first_is_list);
            }
            return (id, *roles);
        }
        let mut words = self.words.iter().copied();
        let mnemonic = Mnemonic {
            opcode: words.next().unwrap_or_default().into(),
            modifiers: words.map(Into::into).collect(),
        };
        let id = MnemonicId::new(self.mnemonics.len());
        let roles = Roles::of(&mnemonic, operands, first_is_list);
        self.ids.insert(self.words.as_slice().into(), id);
        self.mnemonics.push(mnemonic);
        self.roles.push((shape, roles));
        (id, roles)
    }

    pub(super) fn finish(self) -> Box<[Mnemonic]> {
        self.mnemonics.into()
    }
}

impl<'a> Body<'a> {
    /// Lowers an `INSTRUCTION`.
    pub(super) fn instruction(&mut self, node: Node<'a>) {
        self.mnemonics.words.clear();
        let mut nodes = std::mem::take(&mut self.nodes);
        let (mut opcode, mut guard) = (None, None);
        for element in node.elements() {
            match element {
                NodeOrToken::Token(token) if token.kind == IDENT => {
                    self.mnemonics.words.push(token.text);
                    opcode = opcode.or(Some(token));
                }
                NodeOrToken::Token(token) if token.kind == DOT_WORD => {
                    self.mnemonics.words.push(token.word())
                }
                NodeOrToken::Node(node) if node.kind() == GUARD => guard = self.guard(node),
                NodeOrToken::Node(node) if node.kind() != ERROR => nodes.push(node),
                _ => {}
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
            self.instructions.push(InstructionData::new(
                node.range(),
                opcode.start,
                mnemonic,
                operands,
                guard,
            ));
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
