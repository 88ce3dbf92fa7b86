//! Interns the mnemonics of a function.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::super::{Mnemonic, MnemonicId};
use crate::ptx::signature::Roles;

/// The cache of roles is cleared at this size, because typing adds many incomplete mnemonics.
const MOST_KNOWN: usize = 1 << 12;
/// Roles are cached for up to this many operands; no instruction has more.
const MOST_OPERANDS: usize = 16;

thread_local! {
    /// Roles by mnemonic and by the other inputs they depend on. The functions of a program use the same few
    /// mnemonics, and looking roles up in the tables is much slower.
    static KNOWN: RefCell<FxHashMap<Mnemonic, FxHashMap<Shape, Roles>>> = RefCell::default();
}

/// The number of operands, and whether the first one is a list.
type Shape = (usize, bool);

#[derive(Default)]
pub(super) struct MnemonicInterner<'a> {
    pub(super) mnemonics: Vec<Mnemonic>,
    ids: FxHashMap<Box<[&'a str]>, MnemonicId>,
    /// The roles at the last use of each mnemonic, and the inputs they depend on besides the words.
    roles: Vec<(Shape, Roles)>,
    pub(super) words: Vec<&'a str>,
}

impl<'a> MnemonicInterner<'a> {
    /// Interns the mnemonic made of the collected words, and returns the roles of its operands.
    pub(super) fn intern(&mut self, operands: usize, first_is_list: bool) -> (MnemonicId, Roles) {
        let shape = (operands, first_is_list);
        if let Some(&id) = self.ids.get(&*self.words) {
            let (known, roles) = &mut self.roles[id.index()];
            if *known != shape {
                *known = shape;
                *roles = roles_of(&self.mnemonics[id.index()], shape);
            }
            return (id, *roles);
        }
        let mut words = self.words.iter().copied();
        let mnemonic = Mnemonic {
            opcode: words.next().unwrap_or_default().into(),
            modifiers: words.map(Into::into).collect(),
        };
        let id = MnemonicId::new(self.mnemonics.len());
        let roles = roles_of(&mnemonic, shape);
        self.ids.insert(self.words.as_slice().into(), id);
        self.mnemonics.push(mnemonic);
        self.roles.push((shape, roles));
        (id, roles)
    }
}

fn roles_of(mnemonic: &Mnemonic, shape: Shape) -> Roles {
    let (operands, first_is_list) = shape;
    if operands > MOST_OPERANDS {
        return Roles::of(mnemonic, operands, first_is_list);
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(roles) = known.get(mnemonic).and_then(|shapes| shapes.get(&shape)) {
            return *roles;
        }
        let roles = Roles::of(mnemonic, operands, first_is_list);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.entry(mnemonic.clone()).or_default().insert(shape, roles);
        roles
    })
}
