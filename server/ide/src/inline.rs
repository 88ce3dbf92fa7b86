//! Inline PTX of host files: a host file is a list of embedded PTX documents, and its features are those of PTX, mapped back.
//!
//! **Invariant:** nothing is answered outside the strings of a statement, and no range in an answer crosses the quotes of a literal.

use warplens_syntax::Language;

mod allow;
mod completion;
mod definition;
mod diagnostics;
mod document;
mod hover;
mod launch_sites;
mod operands;
mod place;
mod ranges;
mod rename;
mod signature_help;
#[cfg(test)]
mod tests;
mod tokens;
mod try_it;
mod try_kernel;
mod try_lens;
mod try_values;

/// How inline PTX is analyzed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineOptions {
    pub enabled: bool,
    /// The target of statements that no condition in the file is about.
    pub target: Option<String>,
}

impl Default for InlineOptions {
    fn default() -> InlineOptions {
        InlineOptions { enabled: true, target: None }
    }
}

/// The language of inline assembly.
pub const INLINE_LANGUAGE: Language = crate::ptx::PTX.info;

pub(crate) use allow::allow_fix;
pub(crate) use completion::{completions, text_with_instruction};
pub(crate) use definition::{definition, occurrences};
pub(crate) use diagnostics::check;
pub use diagnostics::diagnostics;
pub(crate) use document::{Embedded, HostDocument};
pub(crate) use hover::hover;
pub(crate) use launch_sites::launch_sites;
pub(crate) use rename::{prepare as prepare_rename, rename};
pub(crate) use signature_help::signature_help;
pub(crate) use tokens::tokens_in;
pub use try_lens::TryLens;
pub(crate) use try_lens::{findings, lanes, lenses};
