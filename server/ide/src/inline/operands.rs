//! The operands of a statement: where the template and the host name them.

use text_size::{TextRange, TextSize};
use warplens_host::Operand;
use warplens_ide_diagnostics::inline::{PartKind, parts};

use super::place::Place;
use super::ranges::text_range;

/// A part of the host file that names an operand.
pub(super) struct Named {
    pub(super) operand: usize,
    pub(super) range: TextRange,
    /// Whether this is a placeholder in the template, and not the constraint.
    pub(super) is_placeholder: bool,
}

impl Place<'_> {
    /// The operand that is named at an offset: by a placeholder or by its constraint.
    pub(super) fn operand_at(&self, offset: TextSize) -> Option<Named> {
        let found = self.placeholders().find(|(_, range)| range.contains_inclusive(offset));
        if let Some((operand, range)) = found {
            return Some(Named { operand, range, is_placeholder: true });
        }
        let mut constraints =
            self.statement.operands.iter().map(|operand| self.constraint(operand)).enumerate();
        let (operand, range) = constraints.find(|(_, range)| range.contains_inclusive(offset))?;
        Some(Named { operand, range, is_placeholder: false })
    }

    /// The placeholders of the template with their operands, in text order.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = (usize, TextRange)> {
        let template = &self.statement.template;
        parts(self.statement).into_iter().filter_map(|part| match part.kind {
            PartKind::Operand(Some(index)) => Some((index, text_range(template.to_host(part.range)?))),
            _ => None,
        })
    }

    /// The constraint of an operand, with its name: the part before the expression.
    pub(super) fn constraint(&self, operand: &Operand) -> TextRange {
        let range = text_range(operand.range.clone());
        // The constraints of LLVM are in a string without the expressions.
        if self.statement.constraints.is_some() {
            return range;
        }
        let text = self.document.text.get(operand.range.clone()).unwrap_or_default();
        let end = operand.expression.as_deref().and_then(|expression| text.rfind(expression));
        let before = text[..end.unwrap_or(text.len())].trim_end_matches([' ', '\t', '\n', '(']);
        TextRange::at(range.start(), TextSize::of(before))
    }
}
