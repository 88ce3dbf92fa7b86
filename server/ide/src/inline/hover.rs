//! Hovers: an operand with its constraint and expression, everything else as in PTX.

use text_size::TextSize;
use warplens_host::Direction;
use warplens_ide_db::markdown::{code, code_block};
use warplens_ide_db::{Database, Hover};
use warplens_ide_diagnostics::inline::{placeholder, register_type, with_placeholders};

use super::document::HostDocument;
use super::place::Place;
use crate::hover;
use crate::ptx::PTX;

pub(crate) fn hover(db: &Database, document: &HostDocument, offset: TextSize) -> Option<Hover> {
    let place = document.statement_at(offset)?;
    if let Some(named) = place.operand_at(offset) {
        return Some(Hover { range: named.range, markdown: operand(&place, named.operand) });
    }
    let found = hover::hover(&place.position(db, offset)?, &PTX)?;
    let markdown = with_placeholders(place.statement, found.markdown);
    Some(Hover { range: place.host(found.range)?, markdown })
}

fn operand(place: &Place<'_>, index: usize) -> String {
    let operand = &place.statement.operands[index];
    let direction = match operand.direction {
        Direction::Input => "input",
        Direction::Output => "output",
        Direction::Both => "input and output",
    };
    let mut markdown = format!("**{}** · {direction}", code(&placeholder(place.statement, index)));
    if !operand.constraint.is_empty() {
        markdown += &format!(" · constraint {}", code(&operand.constraint));
    }
    markdown += &match register_type(place.statement, operand) {
        Some(ty) => format!(" · a {} register", code(ty)),
        None if matches!(operand.class(), "n" | "i" | "const") => " · a constant".to_owned(),
        None => String::new(),
    };
    if let Some(output) = operand.tied() {
        markdown += &format!(" · the register of operand {output}");
    }
    if let Some(expression) = &operand.expression {
        markdown += &format!("\n\n{}", code_block(place.document.host.id, expression));
    }
    markdown
}
