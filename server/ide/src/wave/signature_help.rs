//! The forms of an instruction or a directive of WAVE.

use warplens_ide_db::{FilePosition, Signature, SignatureHelp};
use warplens_isa::List;
use warplens_isa::wave as isa;
use warplens_isa::wave::{Directive, Instruction, Operand};
use warplens_syntax::SyntaxToken;

use crate::signature_help::Label;
use crate::wave::completion::line::{Line, Statement};
use crate::wave::completion::operands::{fits, forms, index};
use crate::wave::explain;

pub(super) fn help(position: &FilePosition<'_>) -> Option<SignatureHelp> {
    match Line::before(position).statement() {
        Statement::Instruction { name, operands } => instruction(&name, operands),
        Statement::Directive { name, arguments } => {
            let signature = directive(isa::directive(name)?, index(arguments))?;
            Some(SignatureHelp { signatures: vec![signature], active: 0 })
        }
        Statement::Start { .. } | Statement::Guard { .. } | Statement::Other => None,
    }
}

fn instruction(name: &str, tokens: &[SyntaxToken]) -> Option<SignatureHelp> {
    let (entry, forms) = forms(name)?;
    // An instruction without operands has no help.
    forms.iter().find(|form| !form.is_empty())?;
    let at = index(tokens);
    let active = forms.iter().position(|form| fits(*form, tokens) && at < form.len()).unwrap_or(0);
    let signatures = forms.iter().map(|form| signature(entry, name, *form, at)).collect();
    Some(SignatureHelp { signatures, active })
}

fn signature(entry: &Instruction, name: &str, operands: List<Operand>, at: usize) -> Signature {
    let mut label = Label::default();
    label.push(name);
    for (number, operand) in operands.iter().enumerate() {
        label.push(if number == 0 { " " } else { ", " });
        label.push_parameter(operand.name, explain::operand(operand));
    }
    label.finish(entry.summary.to_owned(), at)
}

fn directive(directive: &Directive, at: usize) -> Option<Signature> {
    let mut label = Label::default();
    label.push(directive.name);
    label.push(" ");
    let mut rest = directive.arguments;
    while let Some(start) = rest.find(char::is_alphabetic) {
        let length = rest[start..].find(|char: char| !char.is_alphabetic()).unwrap_or(rest.len() - start);
        label.push(&rest[..start]);
        label.push_parameter(&rest[start..start + length], directive.summary.to_owned());
        rest = &rest[start + length..];
    }
    label.push(rest);
    (!directive.arguments.is_empty()).then(|| label.finish(directive.summary.to_owned(), at))
}
