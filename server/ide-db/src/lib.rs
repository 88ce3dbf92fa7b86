//! The database and names: what every feature of the language server computes with.
//!
//! Everything is computed an item at a time (a kernel, a variable, a directive) and relative to the item, so the cost of
//! a keystroke follows the edited function and not the size of the file:
//!
//! * [`db`]: files as lists of items, the items as tracked structs without positions; trees and lowered functions of the
//!   items in use, bounded by size;
//! * [`names`]: what a name refers to, and its occurrences;
//! * [`answer`]: positions are byte offsets in the whole file, answers are plain data.
//!
//! Features, diagnostics and simulated runs do not belong here; they are in the crates above.

#![allow(
    missing_docs,
    reason = "used by the other ide crates only; `warplens_ide` documents what it exports"
)]

pub mod answer;
pub mod construct;
pub mod db;
pub mod declared;
mod document;
mod edit_history;
mod lru_cache;
mod name;
pub mod names;
pub mod notation;
pub mod phrase;
pub mod problem;
pub mod profile;
pub mod ptx;
mod shared;
pub mod similar;
pub mod tokens;
pub mod wave;
