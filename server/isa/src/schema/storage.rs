//! The types of fields in the tables.

pub(super) use crate::tables::List;
pub(super) use crate::version::Version;

/// A text.
pub(super) type Text = &'static str;

/// A list.
pub(super) type Slice<T> = &'static [T];

/// A list that the data have as words.
pub(super) type Words<T> = &'static [T];

/// An entry of another table.
pub(super) type Reference<T> = &'static T;

/// The category of an instruction.
pub(super) type CategoryReference = &'static crate::category::Category;
