//! NVIDIA's assembler, an optional external tool that is off until a setting names its path.
//!
//! Saving a document runs ptxas in the background; a newer save stops the previous run. The diagnostics of ptxas are shown on lines
//! without an error from Warplens, until the line is edited or the document is saved again. The resources of kernels need a complete
//! run, so they are computed only when a code lens requests them.

mod assemble;
pub(crate) mod diagnostics;
pub(crate) mod lenses;

use warplens_ide::Language;

/// Whether ptxas assembles files of a language.
pub(crate) fn assembles(language: Language) -> bool {
    language.assembler == Some("ptxas")
}

/// The command that runs ptxas and answers with the resources of the kernels.
pub(crate) const RESOURCES: &str = "warplens.ptxasResources";
