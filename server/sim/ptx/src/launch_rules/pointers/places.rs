//! What an analysis of pointers tells apart: objects, addresses in them, and the places that may hold them.

use warplens_hir::ptx::{Function, Operand};

/// Something that an address can point into. Functions are numbered, the entry is the first one; names are referents of
/// their function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Object {
    /// The parameter of the entry with this index.
    Param(usize),
    /// The memory to which the value at this byte of a parameter points. Numbers that are no addresses have one too.
    Pointee(usize, u64),
    /// A variable in local memory or in `.param`: of a function, by name.
    Frame(usize, usize),
    /// Another variable of a function.
    Variable(usize, usize),
    /// A variable of the module, by number.
    Global(usize),
    /// The shared memory whose size the launch decides.
    Dynamic,
    /// Memory at an address in a register whose origin is unknown, such as the result of `malloc`.
    Unknown(usize, usize),
}

/// An address. An offset that is not constant is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Address {
    pub(super) object: Object,
    pub(super) offset: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// A register of a function, or the name of a variable, which stands for its address.
    Name(usize, usize),
    /// Memory at an offset of an object.
    Memory(Address),
}

impl Address {
    pub(super) fn plus(self, added: Option<i64>) -> Address {
        let offset = self.offset.zip(added).map(|(offset, added)| offset.wrapping_add(added));
        Address { offset, ..self }
    }
}

/// The place of a plain register, or of the name of a variable.
pub(super) fn place_of(function: &Function, number: usize, operand: Operand) -> Option<Place> {
    match operand {
        Operand::Register { name, component: None } | Operand::Symbol(name) => {
            Some(Place::Name(number, function.referent(name).index()))
        }
        _ => None,
    }
}
