//! What an editor asks: the database and one file a feature, in plain data.
//!
//! [`AnalysisHost`] owns the documents and takes edits; [`Analysis`] is a snapshot that answers questions. Positions
//! are byte offsets in the whole file, answers are the plain data of [`answer`].
//!
//! Inside, everything is computed an item at a time (a kernel, a variable, a directive) and relative to the item, so
//! the cost of a keystroke follows the function edited and never the size of the file:
//!
//! * `db`, the database: files as lists of items, the items as tracked structs without positions; trees and lowered
//!   functions of the items in use, bounded by size (`lru_cache`);
//! * `module`, what the items of a file see of each other; `names`, what a name stands for and where else it stands;
//! * one file for each feature, with its tests below it; what differs by language lies in its `ptx` and `wave`.
//!
//! Only this crate names salsa. It names no type of the protocol and touches no file system.

mod analysis;
pub mod answer;
mod call_hierarchy;
mod completion;
mod constructs;
mod db;
mod declared;
mod definition;
mod diagnostics;
mod dialect;
mod edit_history;
mod explain;
#[cfg(test)]
mod fixture;
mod folding;
mod form_cache;
mod format;
mod hover;
mod inlay_hints;
pub mod lanes;
mod languages;
mod links;
mod lints;
mod lru_cache;
mod module;
mod module_symbols;
mod module_target;
mod names;
mod notation;
mod occupancy;
mod occurrences;
mod position;
mod rename;
mod selection;
mod signature_help;
mod similar;
mod symbols;
mod tokens;
mod variance;

pub use analysis::{Analysis, AnalysisHost, Answer, Cancelled, Canceller, Edited, OutOfRange};
pub use answer::*;
pub use call_hierarchy::{CallItem, Calls};
pub use diagnostics::{Code, MAX_DIAGNOSTICS, Rules, code, codes, nearest_code, nearest_rule, rule};
pub use dialect::{Dialect, NotRewritten, Rewritten};
pub use explain::{explain, nearest_name};
pub use format::Formatted;
pub use inlay_hints::{InlayHint, InlayHintKind, InlayHintKinds};
pub use languages::{LANGUAGES, PTX, WAVE};
pub use links::DocumentLink;
pub use lints::LINTS;
pub use module_symbols::ModuleSymbol;
pub use module_target::Profile;
pub use signature_help::{Signature, SignatureHelp, SignatureParameter};
pub use text_size::{TextRange, TextSize};
pub use warplens_hir::wave::Accepts;
pub use warplens_syntax::Language;
