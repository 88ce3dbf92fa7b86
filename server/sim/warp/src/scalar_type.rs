//! Scalar types: their widths and how their bits are read.

mod numbers;

use std::fmt;

use crate::soft_float::{self, Format};

/// How a scalar's bits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// `u8 … u64`
    Unsigned,
    /// `s8 … s64`
    Signed,
    /// `f16 bf16 f32 f64`
    Float,
    /// `b8 … b64`: accepts any value that fits the width
    Bits,
}

macro_rules! scalar_types {
    ($($variant:ident $name:literal $bits:literal $class:ident;)*) => {
        /// A scalar type of launches and operations. Each operation documents which types it permits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ScalarType { $($variant,)* }

        impl ScalarType {
            pub fn from_name(name: &str) -> Option<ScalarType> {
                match name { $($name => Some(ScalarType::$variant),)* _ => None }
            }

            pub const fn name(self) -> &'static str {
                match self { $(ScalarType::$variant => $name,)* }
            }

            /// Width in bits.
            pub fn bits(self) -> u32 {
                match self { $(ScalarType::$variant => $bits,)* }
            }

            /// How the bits are read.
            pub fn class(self) -> Class {
                match self { $(ScalarType::$variant => Class::$class,)* }
            }
        }
    };
}

scalar_types! {
    U8 "u8" 8 Unsigned; U16 "u16" 16 Unsigned; U32 "u32" 32 Unsigned; U64 "u64" 64 Unsigned;
    S8 "s8" 8 Signed; S16 "s16" 16 Signed; S32 "s32" 32 Signed; S64 "s64" 64 Signed;
    F16 "f16" 16 Float; Bf16 "bf16" 16 Float; F32 "f32" 32 Float; F64 "f64" 64 Float; Tf32 "tf32" 32 Float;
    F16x2 "f16x2" 32 Float; Bf16x2 "bf16x2" 32 Float;
    B8 "b8" 8 Bits; B16 "b16" 16 Bits; B32 "b32" 32 Bits; B64 "b64" 64 Bits; B128 "b128" 128 Bits;
    Predicate "pred" 1 Bits;
}

impl ScalarType {
    /// Size of a value in bytes.
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub fn is_signed(self) -> bool {
        self.class() == Class::Signed
    }

    pub fn is_half(self) -> bool {
        self.class() == Class::Float && self.bits() == 16
    }

    /// Whether it has two values of a smaller type.
    pub fn is_packed(self) -> bool {
        matches!(self, ScalarType::F16x2 | ScalarType::Bf16x2)
    }

    pub fn format(self) -> Option<Format> {
        match self {
            ScalarType::F16 => Some(soft_float::F16),
            ScalarType::Bf16 => Some(soft_float::BF16),
            ScalarType::Tf32 => Some(soft_float::TF32),
            ScalarType::F32 => Some(soft_float::F32),
            ScalarType::F64 => Some(soft_float::F64),
            _ => None,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
