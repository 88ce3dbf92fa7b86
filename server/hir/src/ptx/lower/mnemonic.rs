//! The distinct mnemonics of a function.

use rustc_hash::FxHashMap;

use super::super::{Mnemonic, MnemonicId};
use crate::ptx::signature::Roles;

/// The distinct mnemonics of a function.
#[derive(Default)]
pub(super) struct MnemonicInterner<'a> {
    mnemonics: Vec<Mnemonic>,
    ids: FxHashMap<Box<[&'a str]>, MnemonicId>,
    /// The roles for the last use of each, and what they depend on besides the words.
    roles: Vec<((usize, bool), Roles)>,
    /// The words being read.
    pub(super) words: Vec<&'a str>,
}

impl<'a> MnemonicInterner<'a> {
    /// The mnemonic that the collected words make, and what it does with so many operands.
    pub(super) fn intern(&mut self, operands: usize, first_is_list: bool) -> (MnemonicId, Roles) {
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
