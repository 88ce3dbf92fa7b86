//! Rust expressions for values.

use super::pools::Pools;

/// A value of a table.
pub(crate) trait Literal {
    /// Name of the type, if lists of it may be interned.
    const NAME: &'static str = "";

    fn literal(&self, pools: &mut Pools) -> String;
}

/// A struct with these fields. Fields with their default value are omitted, so there may be fewer than `all`.
pub(crate) fn structure(name: &str, all: usize, mut fields: Vec<String>) -> String {
    if fields.len() < all {
        fields.push(format!("..{name}::EMPTY"));
    }
    format!("{name} {{ {} }}", fields.join(", "))
}

/// A struct with one unnamed field. It is small, so it is copied from the table in which it is interned.
pub(crate) fn newtype(name: &str, part: &str, pools: &mut Pools) -> String {
    let text = format!("{name}({part})");
    pools.intern(name, &text).map_or(text, |(table, number)| format!("{table}[{number}]"))
}

/// A variant of an enum, with its field if it has one.
pub(crate) fn variant(name: &str, variant: &str, part: Option<String>) -> String {
    format!("{name}::{variant}{}", part.map(|part| format!("({part})")).unwrap_or_default())
}

macro_rules! displayed {
    ($($ty:ty),*) => {
        $(impl Literal for $ty {
            fn literal(&self, _: &mut Pools) -> String {
                self.to_string()
            }
        })*
    };
}

displayed!(bool, u8, u16, u32, i64, usize);

impl Literal for String {
    fn literal(&self, _: &mut Pools) -> String {
        format!("{self:?}")
    }
}

impl<T: Literal> Literal for &T {
    const NAME: &'static str = T::NAME;

    fn literal(&self, pools: &mut Pools) -> String {
        (**self).literal(pools)
    }
}

impl<T: Literal> Literal for Option<T> {
    fn literal(&self, pools: &mut Pools) -> String {
        self.as_ref().map_or("None".to_owned(), |value| format!("Some({})", value.literal(pools)))
    }
}

impl<A: Literal, B: Literal> Literal for (A, B) {
    fn literal(&self, pools: &mut Pools) -> String {
        format!("({}, {})", self.0.literal(pools), self.1.literal(pools))
    }
}

/// A list, either of the indexes of interned entries or of the entries.
impl<T: Literal> Literal for Vec<T> {
    fn literal(&self, pools: &mut Pools) -> String {
        let mut numbers = Vec::new();
        let mut literals = Vec::new();
        for entry in self {
            let literal = entry.literal(pools);
            numbers.extend(pools.intern(T::NAME, &literal).map(|(_, number)| number.to_string()));
            literals.push(literal);
        }
        match numbers.is_empty() {
            false => format!("list(&[{}])", numbers.join(", ")),
            true => format!("&[{}]", literals.join(", ")),
        }
    }
}
