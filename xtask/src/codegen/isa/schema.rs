//! The types of the entries in the generator. They come from the files of `server/isa/src/schema`, are read from TOML, and
//! are rendered as the source of the tables.

/// A binding for the field of a variant.
macro_rules! part {
    ($name:ident, $ty:ty) => {
        $name
    };
}

/// Declares the type of an entry, as `server/isa/src/schema.rs` describes. Fields with their default value are not
/// rendered.
macro_rules! entry {
    (
        $(#[doc = $_doc:literal])* $(#[serde($($serde:tt)*)])? $(#[derive($($_derive:ident),*)])?
        pub enum $name:ident {
            $(#[doc = $_first_doc:literal])* $(#[serde($($first_serde:tt)*)])? $first:ident $(($first_part:ty))?,
            $($(#[doc = $_variant_doc:literal])* $(#[serde($($variant_serde:tt)*)])? $variant:ident $(($part:ty))?,)*
        }
    ) => {
        #[derive(serde::Deserialize, Clone, Debug, PartialEq)]
        $(#[serde($($serde)*)])?
        pub(crate) enum $name {
            $(#[serde($($first_serde)*)])? $first $(($first_part))?,
            $($(#[serde($($variant_serde)*)])? $variant $(($part))?,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$first $((<$first_part>::default()))?
            }
        }

        impl Literal for $name {
            const NAME: &'static str = stringify!($name);

            fn literal(&self, _pools: &mut Pools) -> String {
                let (variant, part) = match self {
                    Self::$first $((part!(part, $first_part)))? => {
                        (stringify!($first), None $(.or(Some(<$first_part>::literal(part, _pools))))?)
                    }
                    $(Self::$variant $((part!(part, $part)))? => {
                        (stringify!($variant), None $(.or(Some(<$part>::literal(part, _pools))))?)
                    })*
                };
                rust::variant(Self::NAME, variant, part)
            }
        }
    };
    ($(#[doc = $_doc:literal])* $(#[derive($($_derive:ident),*)])? pub struct $name:ident($part:ty);) => {
        #[derive(serde::Deserialize, Clone, Debug, Default, PartialEq)]
        pub(crate) struct $name(pub(crate) $part);

        impl Literal for $name {
            fn literal(&self, pools: &mut Pools) -> String {
                let part = self.0.literal(pools);
                rust::newtype(stringify!($name), &part, pools)
            }
        }
    };
    (
        $(#[doc = $_doc:literal])* $(#[serde($($serde:tt)*)])? $(#[derive($($_derive:ident),*)])?
        pub struct $name:ident {
            $($(#[doc = $_field_doc:literal])* $(#[serde($($field_serde:tt)*)])? $field:ident: $ty:ty,)*
        }
        $(data { $($(#[doc = $_data_doc:literal])* $(#[serde($($data_serde:tt)*)])? $data:ident: $data_ty:ty,)* })?
    ) => {
        #[derive(serde::Deserialize, Clone, Debug, Default, PartialEq)]
        #[serde(deny_unknown_fields)]
        $(#[serde($($serde)*)])?
        pub(crate) struct $name {
            $($(#[serde($($field_serde)*)])? pub(crate) $field: $ty,)*
            $($($(#[serde($($data_serde)*)])? pub(crate) $data: $data_ty,)*)?
        }

        impl Literal for $name {
            const NAME: &'static str = stringify!($name);

            fn literal(&self, pools: &mut Pools) -> String {
                let (mut fields, mut all) = (Vec::new(), 0);
                $(
                    all += 1;
                    if self.$field != <$ty>::default() {
                        fields.push(format!("{}: {}", stringify!($field), self.$field.literal(pools)));
                    }
                )*
                rust::structure(Self::NAME, all, fields)
            }
        }
    };
}

#[macro_use]
#[path = "../../../../server/isa/src/schema/entries.rs"]
mod entries;
#[path = "../../../../server/isa/src/schema/entry.rs"]
pub(crate) mod entry;
#[path = "../../../../server/isa/src/schema/ptx.rs"]
pub(crate) mod ptx;
#[path = "../../../../server/isa/src/schema/ptx_form.rs"]
pub(crate) mod ptx_form;
#[path = "../../../../server/isa/src/schema/ptx_module.rs"]
pub(crate) mod ptx_module;
#[path = "../../../../server/isa/src/schema/sass.rs"]
pub(crate) mod sass;
pub(crate) mod storage;
#[allow(unreachable_pub)] // it is public in isa
#[path = "../../../../server/isa/src/version.rs"]
mod version;
#[path = "../../../../server/isa/src/schema/wave.rs"]
pub(crate) mod wave;
