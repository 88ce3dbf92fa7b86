//! Occurrences of names, and what they denote.

use text_size::{TextRange, TextSize};

use super::{ReferentId, SymbolId};

/// One occurrence of a name: a use or a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameRef<'f> {
    /// The range relative to the item, without a component such as `.x`.
    pub range: TextRange,
    pub resolution: Resolution<'f>,
    /// Equal exactly for names of the same thing in this function.
    pub referent: ReferentId,
    pub role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution<'f> {
    /// A symbol of this function (a parameter, label, variable, single register …), or the declaration of a register range.
    Symbol(SymbolId),
    /// A register of a range: `%r7` of `.reg .b32 %r<100>`.
    Indexed {
        symbol: SymbolId,
        /// The number after the name of the range.
        index: u32,
    },
    /// A special register, or the constant `WARP_SZ`.
    Special(&'f str),
    /// A name that is not declared in the open scopes of this function. It belongs to the module, or is
    /// unresolved. The function's own name is external too.
    External(&'f str),
}

impl Resolution<'_> {
    /// The symbol of this function, if the name denotes one.
    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => Some(symbol),
            Resolution::Special(_) | Resolution::External(_) => None,
        }
    }
}

/// What an occurrence does with the named thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    Declaration,
    /// Reads the value or takes the address.
    Read,
    Write,
    ReadWrite,
    /// Branches to it, or lists it as a target of a table.
    Target,
    /// Lists it as one of several targets of a table: `L3` in `L<5>`. The text there differs from the name,
    /// so the range only says where to look.
    Implied,
    Call,
    /// Names it in debug information (`.loc … function_name x`). Such a name need not be declared.
    Debug,
}

impl Role {
    pub(crate) const ALL: [Role; 8] = {
        use Role::*;
        [Declaration, Read, Write, ReadWrite, Target, Implied, Call, Debug]
    };

    /// Whether the value changes here.
    pub fn writes(self) -> bool {
        matches!(self, Role::Write | Role::ReadWrite)
    }
}

/// The stored form of an occurrence. The length follows from the referent, and the role shares a word with
/// the referent's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) start: TextSize,
    packed: u32,
}

const ROLE_BITS: u32 = 3;

impl Name {
    pub(crate) fn new(start: TextSize, referent: ReferentId, role: Role) -> Name {
        let packed = (referent.index() as u32) << ROLE_BITS | role as u32;
        Name { start, packed }
    }

    pub(crate) fn referent(self) -> ReferentId {
        ReferentId::new((self.packed >> ROLE_BITS) as usize)
    }

    pub(crate) fn role(self) -> Role {
        Role::ALL[(self.packed & ((1 << ROLE_BITS) - 1)) as usize]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Referent {
    Symbol(SymbolId),
    Indexed {
        symbol: SymbolId,
        index: u32,
    },
    /// `%r07`, which means `%r7`, with the number of its digits.
    Padded {
        of: ReferentId,
        digits: u8,
    },
    /// An index into the function's `words`.
    Special(u32),
    /// An index into the function's `words`.
    External(u32),
}
