//! Known disagreements and their reasons, from `tests/measure/known.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    #[serde(default, rename = "disagreement")]
    disagreements: Vec<Disagreement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disagreement {
    /// The entry of the tables, or `*`.
    entry: String,
    /// A part of the assembler's message; empty if the assembler accepts the statement.
    says: String,
    /// A part of the statement; empty for any statement.
    #[serde(default)]
    statement: String,
    reason: String,
}

impl Known {
    pub(crate) fn load() -> Result<Known> {
        toml::from_str(include_str!("../known.toml")).context("tests/measure/known.toml")
    }

    /// The known reason for a difference between Warplens and the assembler.
    pub(crate) fn reason(&self, entry: &str, says: Option<&str>, statement: &str) -> Option<&str> {
        let fits = |known: &&Disagreement| {
            let message_fits = match says {
                Some(says) => !known.says.is_empty() && says.contains(&known.says),
                None => known.says.is_empty(),
            };
            message_fits
                && (known.entry == "*" || known.entry == entry)
                && statement.contains(&known.statement)
        };
        self.disagreements.iter().find(fits).map(|known| known.reason.as_str())
    }
}
