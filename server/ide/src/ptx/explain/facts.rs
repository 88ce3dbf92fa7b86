//! Text that several pages about an instruction share.

use warplens_ide_db::any_of;
use warplens_ide_db::ptx::forms::kind_name;
use warplens_isa::ptx::{Operand, Status};

use crate::explain::page::role;

/// The first clause, which applies to all forms. Later clauses are about some forms only.
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

/// The description of an operand, in one line.
pub(crate) fn operand(operand: &Operand) -> String {
    let kinds = operand.kinds.iter().map(|kind| kind_name(*kind));
    let optional = if operand.optional { ", optional" } else { "" };
    let about = if operand.about.is_empty() { String::new() } else { format!(" · {}", operand.about) };
    format!("`{}` {}: {}{optional}{about}", operand.name, role(operand.role), any_of(kinds))
}
