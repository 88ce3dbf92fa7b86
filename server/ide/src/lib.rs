//! The features of the language server, one file per feature, and the façade over them.
//!
//! [`AnalysisHost`] owns the documents and applies edits; [`Analysis`] is a snapshot that answers requests.
//! Positions are byte offsets in the whole file, and answers are plain data.
//!
//! The database is in `warplens_ide_db`, diagnostics and lints are in `warplens_ide_diagnostics`, simulated runs in
//! `warplens_ide_lanes`. Protocol types and the file system do not belong here.

mod analysis;
mod call_hierarchy;
mod checked_fix;
mod completion;
mod completion_context;
mod contraction;
mod definition;
mod explain;
// For tests, also those of crates below. Not a feature, with which everything above would be compiled twice.
#[doc(hidden)]
pub mod fixture;
mod folding;
mod format;
mod hover;
mod inlay_hints;
pub mod inline;
pub mod language;
mod languages;
mod lines;
mod links;
mod module_symbols;
mod occurrences;
mod proposals;
mod ptx;
mod reduce;
mod rename;
mod rename_error;
mod sass;
mod selection;
mod signature_help;
mod snippet;
mod symbols;
mod token_walk;
mod tokens;
mod wave;

pub use analysis::{Analysis, AnalysisHost, Answer, Cancelled, Canceller, Edited, OutOfRange};
pub use contraction::{Contractions, FusibleSum};
pub use explain::{explain, explain_descriptor, explained_names, nearest_name};
pub use format::Formatted;
pub use hover::WantedSource;
pub use inline::{INLINE_LANGUAGE, InlineOptions, TryLens};
pub use languages::{
    LANGUAGES, forward_progress_model, is_read_only, is_reducible, languages, model, model_choices, models,
};
pub use reduce::{Alternative, Reducible, ReducibleParameter, ReducibleStatement};
pub use rename_error::RenameError;
pub use text_size::{TextRange, TextSize};
pub use warplens_hir::wave::Accepts;
pub use warplens_ide_db::answer::*;
pub use warplens_ide_db::markdown;
pub use warplens_ide_db::{Fixes, Profile, SafeFixes, Severity, safe_fixes, source_name};
pub use warplens_ide_diagnostics::codes::{Code, code, codes};
pub use warplens_ide_diagnostics::item::MAX_DIAGNOSTICS;
pub use warplens_ide_diagnostics::lints::LINTS;
pub use warplens_ide_diagnostics::rules::{Rules, nearest_code, nearest_rule, rule};
pub use warplens_ide_diagnostics::wave::dialect::{Dialect, NotRewritten, Rewritten};
pub use warplens_ide_lanes as lanes;
pub use warplens_syntax::Language;
