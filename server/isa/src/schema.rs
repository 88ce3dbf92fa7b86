//! The types of the entries: the schema of both the data files and the tables.
//!
//! The generator (`xtask/src/codegen/isa/schema.rs`) also includes the files of this folder, with its own [`entry!`] and
//! its own types in `storage`. Here a text is a `&'static str` and a list is part of a table; in the generator both are
//! owned and read from TOML, as the `serde` attributes specify. `skip_deserializing` marks fields that the generator
//! computes, `data` marks fields that exist only in the data files.

/// Declares the type of an entry. A field that a table omits has its [`Empty`](crate::tables::Empty) value, which for an
/// enum is the first variant.
macro_rules! entry {
    (
        $(#[doc = $doc:literal])* $(#[serde($($_serde:tt)*)])? $(#[derive($($derive:ident),*)])?
        pub enum $name:ident {
            $(#[doc = $first_doc:literal])* $(#[serde($($_first:tt)*)])? $first:ident $(($first_part:ty))?,
            $($(#[doc = $variant_doc:literal])* $(#[serde($($_variant:tt)*)])? $variant:ident $(($part:ty))?,)*
        }
    ) => {
        $(#[doc = $doc])* $(#[derive($($derive),*)])?
        pub enum $name {
            $(#[doc = $first_doc])* $first $(($first_part))?,
            $($(#[doc = $variant_doc])* $variant $(($part))?,)*
        }

        impl crate::tables::Empty for $name {
            const EMPTY: Self = Self::$first $((<$first_part as crate::tables::Empty>::EMPTY))?;
        }
    };
    ($(#[doc = $doc:literal])* $(#[derive($($derive:ident),*)])? pub struct $name:ident($part:ty);) => {
        $(#[doc = $doc])* $(#[derive($($derive),*)])?
        pub struct $name(pub $part);

        impl crate::tables::Empty for $name {
            const EMPTY: Self = Self(<$part as crate::tables::Empty>::EMPTY);
        }
    };
    (
        $(#[doc = $doc:literal])* $(#[serde($($_serde:tt)*)])? $(#[derive($($derive:ident),*)])?
        pub struct $name:ident {
            $($(#[doc = $field_doc:literal])* $(#[serde($($_field:tt)*)])? $field:ident: $ty:ty,)*
        }
        $(data { $($_data:tt)* })?
    ) => {
        $(#[doc = $doc])* $(#[derive($($derive),*)])?
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl crate::tables::Empty for $name {
            const EMPTY: Self = Self { $($field: <$ty as crate::tables::Empty>::EMPTY,)* };
        }
    };
}

#[macro_use]
mod entries;
pub(crate) mod entry;
pub(crate) mod ptx;
pub(crate) mod ptx_form;
pub(crate) mod ptx_module;
pub(crate) mod sass;
mod storage;
pub(crate) mod wave;
