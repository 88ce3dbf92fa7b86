//! Parts of the line of facts under the title of a page.

use warplens_isa::ptx::Status;

/// The clause that applies to all forms; later clauses are about some of them.
pub(super) fn first_clause(prose: &str) -> &str {
    prose.split(';').next().unwrap_or(prose).trim()
}

pub(super) fn section(number: &str) -> String {
    if number.is_empty() { String::new() } else { format!("§{number}") }
}

pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Current => "",
        Status::Deprecated => "*deprecated*",
        Status::Removed => "*removed*",
    }
}
