//! Where a form, a value or a directive is available: `8.0 sm_90`, alternatives apart by `|`.

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::data::Version;

/// `Availability` of the tables: one of these is required, or nothing where there are none.
#[derive(Serialize, Clone, Default, PartialEq)]
pub(super) struct Availability(Vec<Requirement>);

/// `Requirement` of the tables: a version and a target that go together.
#[derive(Serialize, Clone, Copy, PartialEq)]
pub(super) struct Requirement {
    since: Version,
    target: TargetRequirement,
}

#[derive(Serialize, Clone, Copy, PartialEq)]
enum TargetRequirement {
    Any,
    AtLeast(u16),
    Family(u16),
    Exactly(u16),
}

impl Default for Requirement {
    /// The one that every file satisfies.
    fn default() -> Self {
        Self { since: Version { major: 1, minor: 0 }, target: TargetRequirement::Any }
    }
}

impl Requirement {
    /// Reads a version, a target or both; without a version the first one, without a target all.
    pub(super) fn read(text: &str) -> Result<Self> {
        ensure!(!text.trim().is_empty(), "an alternative of the availability is empty");
        let mut requirement = Self::default();
        for word in text.split_whitespace() {
            match word.strip_prefix("sm_") {
                Some(number) => requirement.target = target(number)?,
                None => requirement.since = version(word)?,
            }
        }
        Ok(requirement)
    }
}

impl Availability {
    /// Reads alternatives.
    pub(super) fn read(text: &str) -> Result<Self> {
        let alternatives = text.split('|').map(Requirement::read).collect::<Result<Vec<_>>>()?;
        Ok(Self(
            alternatives.into_iter().filter(|requirement| *requirement != Requirement::default()).collect(),
        ))
    }
}

fn version(word: &str) -> Result<Version> {
    Version::read(word).with_context(|| format!("`{word}` is neither a version nor a target"))
}

fn target(number: &str) -> Result<TargetRequirement> {
    let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let chip = digits.parse().with_context(|| format!("`sm_{number}` is not a target"))?;
    Ok(match &number[digits.len()..] {
        "" => TargetRequirement::AtLeast(chip),
        "f" => TargetRequirement::Family(chip),
        "a" => TargetRequirement::Exactly(chip),
        _ => bail!("`sm_{number}` is not a target"),
    })
}
