//! Indices into the tables of one function. An id is only valid for the function that it was made for.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            pub const FIRST: Self = Self(0);

            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an item is shorter than 4 GiB, so it has fewer entries"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An instruction of a function, numbered in text order.
    InstructionId;
    /// A distinct mnemonic of a function.
    MnemonicId;
    /// One occurrence of a name in a function, numbered in text order.
    NameId;
    /// The meaning of names: one for each distinct register, symbol, special register or external name in
    /// use. Two occurrences with the same referent name the same thing. Referents are numbered densely, so
    /// they serve as register numbers.
    ReferentId;
    /// A declared symbol of a function, numbered in text order.
    SymbolId;
    /// A scope of a function. The function itself is scope 0, and a parent precedes its children.
    ScopeId;
    /// A distinct constant of a function.
    ConstantId;
}
