//! NVIDIA's assembler as an optional external tool: off until a setting gives its path.
//!
//! A save runs it in the background, one run for each document; a newer save stops the previous run. Its diagnostics are shown
//! on lines without an error of Warplens, until the line is edited or the document is saved again. The resources of the
//! kernels need a complete run, so a code lens requests them. A run works on a copy of the text, outside the database,
//! and its end is an event.

mod assemble;
pub(crate) mod diagnostics;
pub(crate) mod findings;
pub(crate) mod lenses;
pub(crate) mod runs;

use warplens_ide::Language;

/// Whether it assembles files of a language.
pub(crate) fn assembles(language: Language) -> bool {
    language.assembler == Some("ptxas")
}

/// The command that runs ptxas and answers with the resources of the kernels.
pub(crate) const RESOURCES: &str = "warplens.ptxasResources";
