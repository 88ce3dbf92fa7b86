//! The signature of a callee, from its declaration.

use warplens_hir::ptx::{DeclarationKind, Parameter};
use warplens_ide_db::ptx::{module_names, ptx_header};
use warplens_ide_db::{Database, FilePosition, Item, SignatureHelp, items, one_line, token_covering};
use warplens_syntax::SyntaxKind;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::ptx::completion::context::Operand;
use crate::signature_help::Label;

/// The signature of the callee, if the statement is a call that names it before the cursor.
pub(super) fn help(position: &FilePosition<'_>, operand: &Operand<'_>) -> Option<SignatureHelp> {
    if operand.opcode != "call" {
        return None;
    }
    let written = Written::of(operand);
    let callee = written.callee.map(str::to_owned).or_else(|| named_later(position))?;
    let symbol = module_names(position.db, position.file).definition(&callee)?;
    let item = items(position.db, position.file)[symbol.item as usize];
    let kind = &ptx_header(position.db, item).declarations[symbol.declaration as usize].kind;
    let DeclarationKind::Function { signature, .. } = kind else { return None };
    let mut label = Label::default();
    label.push(operand.opcode);
    operand.modifiers.iter().for_each(|modifier| label.push(modifier));
    label.push(" ");
    if !signature.returns.is_empty() {
        push_list(&mut label, position.db, item, &signature.returns, "return parameter");
        label.push(", ");
    }
    label.push(&callee);
    if !signature.params.is_empty() {
        label.push(", ");
        push_list(&mut label, position.db, item, &signature.params, "parameter");
    }
    let before = if written.callee.is_some() { signature.returns.len() } else { 0 };
    let active = written.argument.map_or(usize::MAX, |argument| before + argument);
    let about = warplens_ide_db::ptx::declared::module_kind(kind);
    Some(SignatureHelp { signatures: vec![label.finish(about, active)], active: 0 })
}

fn push_list(label: &mut Label, db: &Database, item: Item<'_>, list: &[Parameter], what: &str) {
    let text = &item.text(db).0;
    label.push("(");
    for (index, parameter) in list.iter().enumerate() {
        label.push(if index > 0 { ", " } else { "" });
        label.push_parameter(&one_line(&text[parameter.range]), format!("{what} {index}"));
    }
    label.push(")");
}

/// The callee of a call whose return list is being edited.
fn named_later(position: &FilePosition<'_>) -> Option<String> {
    let tree = position.tree();
    let token = token_covering(&tree, position.offset.checked_sub(1.into())?)?;
    let call = token.parent_ancestors().find_map(ast::Instruction::cast)?;
    let callee = call.syntax().children().find_map(ast::NameRef::cast)?;
    Some(callee.syntax().to_string())
}

/// The part of the call before the cursor.
struct Written<'s> {
    callee: Option<&'s str>,
    /// The index of the argument at the cursor. Before the callee, it is an index into the return list.
    argument: Option<usize>,
}

impl<'s> Written<'s> {
    fn of(operand: &Operand<'s>) -> Written<'s> {
        let mut written = Written { callee: None, argument: None };
        let mut depth = 0;
        for token in operand.tokens {
            match token.kind() {
                SyntaxKind::L_PAREN => {
                    depth += 1;
                    written.argument = Some(0);
                }
                SyntaxKind::R_PAREN => {
                    depth -= 1;
                    written.argument = None;
                }
                SyntaxKind::IDENT if depth == 0 && written.callee.is_none() => {
                    written.callee = Some(token.text());
                }
                SyntaxKind::COMMA => written.argument = written.argument.map(|argument| argument + 1),
                _ => {}
            }
        }
        written
    }
}
