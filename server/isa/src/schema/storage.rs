//! The field types of the generated tables. The generator has its own versions of these types.

pub(super) use crate::tables::List;
pub(super) use crate::version::Version;

pub(super) type Text = &'static str;

pub(super) type Slice<T> = &'static [T];

/// A list that the data writes as words separated by spaces.
pub(super) type Words<T> = &'static [T];

pub(super) type Reference<T> = &'static T;

pub(super) type CategoryReference = &'static crate::category::Category;
