//! Instructions: guard, mnemonic, operands.

use rustc_hash::FxHashMap;
use warplens_syntax::SyntaxKind::*;

use super::super::model::InstructionData;
use super::super::{Guard, Mnemonic, MnemonicId, Role};
use super::body::Body;
use super::operand::Place;
use super::tree::Node;
use crate::ptx::signature::Roles;

/// The distinct mnemonics of a function.
#[derive(Default)]
pub(super) struct Mnemonics<'a> {
    mnemonics: Vec<Mnemonic>,
    ids: FxHashMap<Box<[&'a str]>, MnemonicId>,
    /// The roles for the last use of each, and what they depend on besides the words.
    roles: Vec<((usize, bool), Roles)>,
    /// The words being read.
    words: Vec<&'a str>,
}

impl<'a> Mnemonics<'a> {
    fn intern(&mut self, instruction: Node<'a>, operands: usize, first_is_list: bool) -> (MnemonicId, Roles) {
        self.words.clear();
        self.words.extend(instruction.tokens().filter_map(|token| match token.kind {
            IDENT => Some(token.text),
            DOT_WORD => Some(token.word()),
            _ => None,
        }));
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
        let Some(opcode) = node.token(IDENT) else { return };
        let operands = || node.nodes().filter(|node| !matches!(node.kind(), GUARD | ERROR));
        let first_is_list = operands().next().is_some_and(|first| first.kind() == ARG_LIST);
        let (mnemonic, roles) = self.mnemonics.intern(node, operands().count(), first_is_list);
        let guard = node.child(GUARD).and_then(|guard| self.guard(guard));
        let start = self.scratch.len();
        for (index, operand) in operands().enumerate() {
            let operand = self.operand(operand, Place::new(roles.role(index)));
            self.scratch.push(operand);
        }
        let operands = self.keep(start);
        let data =
            InstructionData { range: node.range(), opcode_start: opcode.start, mnemonic, operands, guard };
        self.instructions.push(data);
    }

    fn guard(&mut self, guard: Node<'a>) -> Option<Guard> {
        let name = guard.child(NAME_REF)?.token(IDENT)?;
        let negated = guard.token(BANG).is_some();
        Some(Guard { name: self.scopes.refer(name, Role::Read), negated })
    }
}
