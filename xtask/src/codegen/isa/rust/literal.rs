//! The serializer of [`Source::literal`](super::Source::literal).

use serde::de::value::Error;
use serde::ser::{self, Impossible, Serialize};

use super::pools::Pools;

/// Serializes one value as a Rust expression.
pub(super) struct Literal<'s>(pub(super) &'s mut Pools);

/// The name of a list, which is not that of a struct.
const LIST: &str = "[]";

/// Marks the number of an interned entry, until it is in a list.
const INTERNED: char = '\u{1}';

/// A list, tuple or struct whose parts are being serialized.
pub(super) struct Compound<'s> {
    pools: &'s mut Pools,
    /// The name of a struct.
    name: &'static str,
    open: String,
    close: &'static str,
    parts: Vec<String>,
    skips: bool,
}

impl<'s> Literal<'s> {
    fn compound(self, name: &'static str, open: String, close: &'static str) -> Compound<'s> {
        Compound { pools: self.0, name, open, close, parts: Vec::new(), skips: false }
    }
}

impl Compound<'_> {
    fn part<T: Serialize + ?Sized>(&mut self, label: &str, value: &T) -> Result<(), Error> {
        let value = value.serialize(Literal(self.pools))?;
        self.parts.push(format!("{label}{value}"));
        Ok(())
    }

    fn finish(mut self) -> Result<String, Error> {
        if self.name == LIST {
            let items = self.parts.join(", ");
            let is_interned = items.starts_with(INTERNED);
            return Ok(if is_interned {
                format!("list(&[{}])", items.replace(INTERNED, ""))
            } else {
                format!("&[{items}]")
            });
        }
        if self.skips {
            self.parts.push(format!("..{}::EMPTY", self.name));
        }
        let text = format!("{}{}{}", self.open, self.parts.join(", "), self.close);
        Ok(self.pools.intern(self.name, &text).map_or(text, |(_, number)| format!("{INTERNED}{number}")))
    }
}

macro_rules! displayed {
    ($($method:ident $ty:ty),*) => {
        $(fn $method(self, value: $ty) -> Result<String, Error> { Ok(value.to_string()) })*
    };
}

impl<'s> ser::Serializer for Literal<'s> {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Compound<'s>;
    type SerializeTuple = Compound<'s>;
    type SerializeTupleStruct = Compound<'s>;
    type SerializeTupleVariant = Compound<'s>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Compound<'s>;
    type SerializeStructVariant = Impossible<String, Error>;

    displayed!(serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64);

    fn serialize_f32(self, value: f32) -> Result<String, Error> {
        Ok(format!("{value:?}"))
    }

    fn serialize_f64(self, value: f64) -> Result<String, Error> {
        Ok(format!("{value:?}"))
    }

    fn serialize_char(self, value: char) -> Result<String, Error> {
        Ok(format!("{value:?}"))
    }

    fn serialize_str(self, value: &str) -> Result<String, Error> {
        Ok(format!("{value:?}"))
    }

    /// An [`Expression`](super::Expression): no table has bytes.
    fn serialize_bytes(self, value: &[u8]) -> Result<String, Error> {
        String::from_utf8(value.to_vec()).map_err(ser::Error::custom)
    }

    fn serialize_none(self) -> Result<String, Error> {
        Ok("None".to_owned())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, Error> {
        Ok(format!("Some({})", value.serialize(self)?))
    }

    fn serialize_unit(self) -> Result<String, Error> {
        Ok("()".to_owned())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<String, Error> {
        Ok(name.to_owned())
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<String, Error> {
        Ok(format!("{name}::{variant}"))
    }

    /// A newtype is small: it is copied from the table that it is interned in.
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<String, Error> {
        let text = format!("{name}({})", value.serialize(Literal(self.0))?);
        let interned = self.0.intern(name, &text);
        Ok(interned.map_or(text, |(table, number)| format!("{table}[{number}]")))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<String, Error> {
        Ok(format!("{name}::{variant}({})", value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'s>, Error> {
        Ok(self.compound(LIST, String::new(), ""))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'s>, Error> {
        Ok(self.compound("", "(".to_owned(), ")"))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Compound<'s>, Error> {
        Ok(self.compound(name, format!("{name}("), ")"))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'s>, Error> {
        Ok(self.compound("", format!("{name}::{variant}("), ")"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        Err(ser::Error::custom("a table has no maps"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'s>, Error> {
        Ok(self.compound(name, format!("{name} {{ "), " }"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(ser::Error::custom("a table has no variants with named fields"))
    }
}

macro_rules! elements {
    ($($interface:ident $method:ident),*) => {
        $(impl ser::$interface for Compound<'_> {
            type Ok = String;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.part("", value)
            }

            fn end(self) -> Result<String, Error> {
                self.finish()
            }
        })*
    };
}

elements!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field);

impl ser::SerializeStruct for Compound<'_> {
    type Ok = String;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.part(&format!("{key}: "), value)
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), Error> {
        self.skips = true;
        Ok(())
    }

    fn end(self) -> Result<String, Error> {
        self.finish()
    }
}
