//! The field types of the data files, and how they are read.

use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};

pub(crate) use super::version::Version;
pub(super) use crate::codegen::isa::rust::{self, Literal, Pools};

pub(crate) type Text = String;

pub(crate) type Slice<T> = Vec<T>;

/// A list whose entries are shared in the tables.
pub(crate) type List<T> = Vec<T>;

pub(crate) type CategoryReference = Reference<()>;

/// An entry of another table, as an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reference<T>(String, PhantomData<T>);

impl<T> Reference<T> {
    pub(crate) fn new(table: &str, index: usize) -> Self {
        Self(format!("&{table}[{index}]"), PhantomData)
    }
}

impl<T> Literal for Reference<T> {
    fn literal(&self, _: &mut Pools) -> String {
        self.0.clone()
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::new(1, 0)
    }
}

impl Version {
    /// Reads `MAJOR.MINOR`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not a version")))
    }
}

impl Literal for Version {
    fn literal(&self, _: &mut Pools) -> String {
        format!("Version::new({}, {})", self.major, self.minor)
    }
}

/// A list that the data writes as words separated by spaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words<T = String>(pub(crate) Vec<T>);

impl<T> Default for Words<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Words<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Literal> Literal for Words<T> {
    fn literal(&self, pools: &mut Pools) -> String {
        self.0.literal(pools)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Words<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = String::deserialize(deserializer)?;
        Ok(Self(list.split_whitespace().map(word).collect::<Result<_, D::Error>>()?))
    }
}

/// Reads a value that is a single word.
pub(crate) fn word<T: DeserializeOwned, E: Error>(text: &str) -> Result<T, E> {
    let deserializer: StrDeserializer<'_, E> = text.into_deserializer();
    T::deserialize(deserializer)
}

/// Reads the lines of a block of text.
pub(crate) fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text.trim_matches('\n').lines().map(str::to_owned).collect())
}

/// Reads a text, without surrounding white space.
pub(crate) fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(String::deserialize(deserializer)?.trim().to_owned())
}

/// Reads `1..3`, or `1` as `1..1`.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(u8, u8), D::Error> {
    let text = String::deserialize(deserializer)?;
    let (min, max) = text.split_once("..").unwrap_or((&text, &text));
    let number = |text: &str| {
        text.parse().map_err(|_| D::Error::custom(format!("`{text}` is not a number of values")))
    };
    Ok((number(min)?, number(max)?))
}

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn one() -> u8 {
    1
}
