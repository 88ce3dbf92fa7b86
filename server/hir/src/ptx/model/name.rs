//! Occurrences of names and what they stand for.

use text_size::{TextRange, TextSize};

use super::{ReferentId, SymbolId};

/// One occurrence of a name: a use or a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameRef<'f> {
    /// Its range, relative to the item; without a component such as `.x`.
    pub range: TextRange,
    /// Its meaning.
    pub resolution: Resolution<'f>,
    /// Identity of what it stands for: equal exactly for names of the same thing in this function.
    pub referent: ReferentId,
    /// Its role here.
    pub role: Role,
}

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution<'f> {
    /// A symbol of this function (a parameter, label, variable, single register …), or the declaration of a register range.
    Symbol(SymbolId),
    /// A register of a range: `%r7` of `.reg .b32 %r<100>`.
    Indexed {
        /// The range.
        symbol: SymbolId,
        /// Which register of it.
        index: u32,
    },
    /// A special register, or the constant `WARP_SZ`.
    Special(&'f str),
    /// Not declared in the scopes of this function at this place: a name of the module, or unresolved. The function's own
    /// name is one of these.
    External(&'f str),
}

impl Resolution<'_> {
    /// The local symbol, if it is one.
    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => Some(symbol),
            Resolution::Special(_) | Resolution::External(_) => None,
        }
    }
}

/// The role of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// Declares it.
    Declaration,
    /// Reads its value or takes its address.
    Read,
    /// Writes its value.
    Write,
    /// Reads and writes it.
    ReadWrite,
    /// Branches to it, or lists it as a target of a table.
    Target,
    /// Lists it as a target of a table, among others: `L3` of `L<5>`. The text there is not the name, so the range says
    /// only where to look.
    Implied,
    /// Calls it.
    Call,
    /// Names it in debug information (`.loc … function_name x`); such a name need not be declared.
    Debug,
}

impl Role {
    pub(crate) const ALL: [Role; 8] = [
        Role::Declaration,
        Role::Read,
        Role::Write,
        Role::ReadWrite,
        Role::Target,
        Role::Implied,
        Role::Call,
        Role::Debug,
    ];

    /// Whether the thing's value changes here.
    pub fn writes(self) -> bool {
        matches!(self, Role::Write | Role::ReadWrite)
    }
}

/// How an occurrence is kept: its length follows from the referent, the role shares a word with the referent's number.
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

/// How a referent is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Referent {
    Symbol(SymbolId),
    Indexed {
        symbol: SymbolId,
        index: u32,
    },
    /// `%r07`, which names `%r7`, with this many digits.
    Padded {
        of: ReferentId,
        digits: u8,
    },
    /// Index into the words of the function.
    Special(u32),
    /// Index into the words of the function.
    External(u32),
}
