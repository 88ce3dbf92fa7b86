//! Where a form, a value or a directive is available: `8.0 sm_90`, with alternatives separated by `|`.

use anyhow::{Context, Result, bail, ensure};

use super::schema::ptx_form::{Availability, Requirement, TargetRequirement};
use super::schema::storage::Version;

impl TryFrom<String> for Requirement {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        Self::read(&text)
    }
}

impl Requirement {
    /// Reads a version, a target or both. The default is the first version and all targets.
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
