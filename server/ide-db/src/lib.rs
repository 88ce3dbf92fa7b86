//! The database and names: what every feature of the language server computes with.
//!
//! Everything is computed item by item (a kernel, a variable, a directive) and relative to the item, so the
//! cost of a keystroke depends on the size of the edited function and not of the file:
//!
//! * `db`: files as lists of items, and items as tracked structs without positions; trees and lowered
//!   functions of the items in use, bounded by size;
//! * [`names`]: what a name refers to, and its occurrences;
//! * [`answer`]: results as plain data, with byte offsets in the whole file.
//!
//! Features, diagnostics and simulated runs belong to the crates above.

pub mod answer;
mod construct;
mod db;
mod declared;
mod demangle;
mod document;
mod edit_history;
mod lru_cache;
pub mod markdown;
mod name;
pub mod names;
pub mod notation;
mod phrase;
mod problem;
mod profile;
pub mod ptx;
mod safe_fixes;
pub mod sass;
mod shared;
mod similar;
mod tokens;
pub mod wave;

pub use answer::*;
pub use construct::{Construct, Word};
pub use db::{
    Database, Db, Document, File, FilePosition, Item, ItemGroup, LanguageQueries, Observer, group_uses,
    item_groups, items, items_of, module_uses, placed_items, syntax_tree,
};
pub use declared::{count, one_line};
pub use demangle::{demangled, source_name};
pub use names::{ModuleUse, NameUse, Named, Namespace, Requirement, Subject};
pub use phrase::{all_of, any_of};
pub use problem::{FixContext, Fixes, ItemFix, Problem, TargetRanges};
pub use profile::{Profile, UnknownPlatform};
pub use safe_fixes::{SafeFixes, safe_fixes};
pub use similar::{did_you_mean, nearest};
pub use tokens::{token_before, token_covering};
pub use warplens_hir::Severity;
