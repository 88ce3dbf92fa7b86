//! Numbers in other notations, with the type of their operand.

use warplens_hir::ptx::Type;
use warplens_ide_db::notation;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::ptx::explain::form;
use crate::ptx::hover::statement;

pub(super) fn number(token: &SyntaxToken) -> Option<String> {
    let text = token.text();
    let ty = operand_type(token);
    let prefix = text.get(..2).unwrap_or_default();
    if matches!(prefix, "0f" | "0F") {
        return Some(notation::single(u32::from_str_radix(&text[2..], 16).ok()?));
    }
    if matches!(prefix, "0d" | "0D") {
        return Some(notation::double(u64::from_str_radix(&text[2..], 16).ok()?));
    }
    let Some(value) = notation::parsed(text) else {
        return Some(notation::double(text.parse::<f64>().ok()?.to_bits()));
    };
    let value = if is_negated(token) { value.wrapping_neg() } else { value };
    match ty.filter(|ty| ty.bits() >= 8) {
        Some(ty) => Some(notation::integer_as(value, ty)),
        None => Some(notation::integer(value)),
    }
}

fn is_negated(token: &SyntaxToken) -> bool {
    let expression = token.parent_ancestors().find(|node| node.kind() == SyntaxKind::PREFIX_EXPR);
    let sign = expression.and_then(|expression| expression.first_token());
    sign.is_some_and(|sign| {
        sign.kind() == SyntaxKind::MINUS && sign.text_range().end() == token.text_range().start()
    })
}

/// The type with which the instruction reads the operand, if the number is the whole operand.
fn operand_type(token: &SyntaxToken) -> Option<Type> {
    let instruction = token.parent_ancestors().find_map(ast::Instruction::cast)?;
    let is_in_address = token
        .parent_ancestors()
        .any(|node| matches!(node.kind(), SyntaxKind::ADDRESS | SyntaxKind::INDEX_EXPR));
    if is_in_address {
        return None;
    }
    let mnemonic = statement::mnemonic(&instruction)?;
    let index = instruction
        .operands()
        .position(|operand| operand.syntax().text_range().contains_range(token.text_range()))?;
    let found = form::form_of(&mnemonic, Some(instruction.operands().count()));
    let by_form = found.and_then(|found| found.operands.get(index)?.ty);
    by_form.or_else(|| mnemonic.modifiers.iter().rev().find_map(|word| Type::from_name(word)))
}
