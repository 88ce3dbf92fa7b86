//! What generated tables are made of: lists of shared entries, name indexes, and the values of omitted fields.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;
use std::slice::SliceIndex;

use crate::category::Category;
use crate::version::Version;

/// Defines public functions over the module `tables` in scope, which return all entries of a table or the entry with a name;
/// `shared` sets the table that lists of a type refer to.
macro_rules! accessors {
    () => {};
    (shared $ty:ident = $table:ident; $($rest:tt)*) => {
        impl crate::Shared for $ty {
            const TABLE: &'static [Self] = &tables::$table;
        }
        accessors! { $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident: all $ty:ident = $table:ident; $($rest:tt)*) => {
        $(#[$doc])*
        pub fn $name() -> &'static [$ty] {
            &tables::$table
        }
        accessors! { $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident: $ty:ident = $names:ident in $table:ident; $($rest:tt)*) => {
        $(#[$doc])*
        pub fn $name(name: &str) -> Option<&'static $ty> {
            tables::$names.get(name).map(|index| &tables::$table[index])
        }
        accessors! { $($rest)* }
    };
}

/// An entry that lists refer to by its index in a table.
pub trait Shared: Sized + 'static {
    const TABLE: &'static [Self];
}

/// A list of entries of a shared table, in which equal entries are stored once.
pub struct List<T: Shared> {
    numbers: &'static [u16],
    entries: PhantomData<&'static T>,
}

pub(crate) const fn list<T: Shared>(numbers: &'static [u16]) -> List<T> {
    List { numbers, entries: PhantomData }
}

impl<T: Shared> List<T> {
    pub const fn len(self) -> usize {
        self.numbers.len()
    }

    pub const fn is_empty(self) -> bool {
        self.numbers.is_empty()
    }

    pub fn get(self, index: usize) -> Option<&'static T> {
        self.numbers.get(index).map(|&number| entry(number))
    }

    pub fn first(self) -> Option<&'static T> {
        self.get(0)
    }

    pub fn last(self) -> Option<&'static T> {
        self.numbers.last().map(|&number| entry(number))
    }

    /// The entries in a range.
    ///
    /// # Panics
    ///
    /// If the range exceeds the list.
    pub fn slice(self, range: impl SliceIndex<[u16], Output = [u16]>) -> Self {
        Self { numbers: &self.numbers[range], ..self }
    }

    pub fn iter(self) -> Entries<T> {
        self.into_iter()
    }
}

fn entry<T: Shared>(number: u16) -> &'static T {
    &T::TABLE[usize::from(number)]
}

pub type Entries<T> = std::iter::Map<std::slice::Iter<'static, u16>, fn(&'static u16) -> &'static T>;

impl<T: Shared> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Shared> Copy for List<T> {}

impl<T: Shared> Index<usize> for List<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        entry(self.numbers[index])
    }
}

impl<T: Shared> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = Entries<T>;

    fn into_iter(self) -> Entries<T> {
        self.numbers.iter().map(|&number| entry(number))
    }
}

impl<T: Shared + fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// The value of a field that a table omits.
pub(crate) trait Empty {
    const EMPTY: Self;
}

macro_rules! empty {
    ($($ty:ty = $value:expr),*) => {
        $(impl Empty for $ty { const EMPTY: Self = $value; })*
    };
}

empty!(bool = false, u8 = 0, u16 = 0, u32 = 0, i64 = 0, usize = 0, &'static str = "", (u8, u8) = (0, 0),
    Version = Version::new(1, 0), &'static Category = &Category::NONE);

impl<T> Empty for &'static [T] {
    const EMPTY: Self = &[];
}

impl<T> Empty for Option<T> {
    const EMPTY: Self = None;
}

impl<T: Shared> Empty for List<T> {
    const EMPTY: Self = list(&[]);
}

/// A fixed set of names, each with an index into a table, sorted by name.
#[derive(Debug)]
pub(crate) struct Names(pub(crate) &'static [(&'static str, u16)]);

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.find(name).map(|(_, index)| index)
    }

    /// `name` as the table stores it, and its index.
    pub(crate) fn find(&self, name: &str) -> Option<(&'static str, usize)> {
        let at = self.0.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        let (found, index) = self.0[at];
        Some((found, usize::from(index)))
    }
}
