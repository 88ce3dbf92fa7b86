//! Types, state spaces, linkage and vector lengths: the words that later stages match on.

pub use warplens_isa::ptx::TypeKind;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $($variant:ident $word:literal;)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// Parses the name, given without its dot.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($word => Some($name::$variant),)* _ => None }
            }

            /// The name without its dot.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

macro_rules! types {
    ($($variant:ident $name:literal $bits:literal $kind:ident;)*) => {
        words! {
            /// Every type word of PTX, including those that only instructions use.
            Type: $($variant $name;)*
        }

        impl Type {
            pub const ALL: &[Type] = &[$(Type::$variant,)*];

            /// The width in bits. Predicates have 1, opaque references 64.
            pub fn bits(self) -> u32 {
                match self { $(Type::$variant => $bits,)* }
            }

            pub fn kind(self) -> TypeKind {
                match self { $(Type::$variant => TypeKind::$kind,)* }
            }
        }
    };
}

types! {
    U8 "u8" 8 Unsigned; U16 "u16" 16 Unsigned; U32 "u32" 32 Unsigned; U64 "u64" 64 Unsigned;
    S8 "s8" 8 Signed; S16 "s16" 16 Signed; S32 "s32" 32 Signed; S64 "s64" 64 Signed;
    F16 "f16" 16 Float; F16x2 "f16x2" 32 Float; F32 "f32" 32 Float; F64 "f64" 64 Float;
    B8 "b8" 8 Bits; B16 "b16" 16 Bits; B32 "b32" 32 Bits; B64 "b64" 64 Bits; B128 "b128" 128 Bits;
    Pred "pred" 1 Predicate;
    Bf16 "bf16" 16 Float; Bf16x2 "bf16x2" 32 Float; Tf32 "tf32" 32 Float; F32x2 "f32x2" 64 Float;
    U16x2 "u16x2" 32 Unsigned; S16x2 "s16x2" 32 Signed; U8x4 "u8x4" 32 Unsigned; S8x4 "s8x4" 32 Signed;
    B1 "b1" 1 Bits; U4 "u4" 4 Unsigned; S4 "s4" 4 Signed; U2 "u2" 2 Unsigned; S2 "s2" 2 Signed;
    E4m3 "e4m3" 8 Float; E4m3x2 "e4m3x2" 16 Float; E4m3x4 "e4m3x4" 32 Float;
    E5m2 "e5m2" 8 Float; E5m2x2 "e5m2x2" 16 Float; E5m2x4 "e5m2x4" 32 Float;
    E2m1 "e2m1" 4 Float; E2m1x2 "e2m1x2" 8 Float; E2m1x4 "e2m1x4" 16 Float; E2m1p4x4 "e2m1p4x4" 32 Float;
    E2m3 "e2m3" 6 Float; E2m3x2 "e2m3x2" 16 Float; E2m3x4 "e2m3x4" 32 Float;
    E3m2 "e3m2" 6 Float; E3m2x2 "e3m2x2" 16 Float; E3m2x4 "e3m2x4" 32 Float;
    Ue8m0 "ue8m0" 8 Float; Ue8m0x2 "ue8m0x2" 16 Float; Ue8m0x4 "ue8m0x4" 32 Float;
    Ue4m3 "ue4m3" 8 Float; Ue5m3x2 "ue5m3x2" 16 Float; S2f6x2 "s2f6x2" 16 Float;
    Texref "texref" 64 Opaque; Samplerref "samplerref" 64 Opaque; Surfref "surfref" 64 Opaque;
}

impl Type {
    /// The size of an element in memory, in bytes.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
}

words! {
    /// The state spaces that a declaration or an address may name.
    Space:
    Reg "reg"; Sreg "sreg"; Const "const"; Global "global"; Local "local"; Param "param"; Shared "shared"; Tex "tex";
}

words! {
    Linkage:
    Extern "extern"; Visible "visible"; Weak "weak"; Common "common";
}

words! {
    /// The number of elements of a vector register or variable.
    VectorLength:
    V2 "v2"; V4 "v4"; V8 "v8";
}

impl VectorLength {
    pub fn count(self) -> u32 {
        2 << self as u32
    }
}

/// An array dimension; `None` if the brackets are empty or hold no usable number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimension(pub Option<u64>);

#[cfg(test)]
mod tests {
    use warplens_isa::ptx as isa;

    use super::*;

    #[test]
    fn types_are_those_of_the_tables() {
        let mut here: Vec<_> = Type::ALL.iter().map(|ty| (ty.name(), ty.bits())).collect();
        let mut there: Vec<_> =
            isa::types().iter().map(|ty| (ty.name.trim_start_matches('.'), u32::from(ty.bits))).collect();
        here.sort_unstable();
        there.sort_unstable();
        assert_eq!(here, there);
    }

    #[test]
    fn state_spaces_are_known_to_the_tables() {
        for name in ["reg", "sreg", "const", "global", "local", "param", "shared", "tex"] {
            assert_eq!(Space::from_name(name).map(Space::name), Some(name));
            assert!(
                isa::state_space(name).is_some() || isa::state_space(&format!(".{name}")).is_some(),
                "{name}"
            );
        }
    }
}
