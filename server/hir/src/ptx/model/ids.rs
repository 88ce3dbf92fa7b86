//! Indices into the tables of one function. An id is valid only with the function that it was made for.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of the first entry.
            pub const FIRST: Self = Self(0);

            /// The id of the `index`th entry.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an item is shorter than 4 GiB, so it has fewer entries"))
            }

            /// The index in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An instruction of a function, numbered in text order.
    InstructionId;
    /// An opcode with its modifiers, as distinct ones are numbered in a function.
    MnemonicId;
    /// One occurrence of a name in a function, numbered in text order.
    NameId;
    /// The meaning of names: one for each distinct register, symbol, special register or outside name that is used.
    /// Two occurrences with the same referent name the same thing. Dense, so it serves as a register number.
    ReferentId;
    /// A declared symbol of a function, numbered in text order.
    SymbolId;
    /// A scope of a function; the function itself is scope 0, and a parent comes before its children.
    ScopeId;
    /// A distinct constant of a function.
    ConstantId;
}
