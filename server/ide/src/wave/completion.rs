//! Completion in WAVE.

pub(crate) mod line;
mod mnemonics;
pub(crate) mod operands;
mod structure;

use warplens_ide_db::{CompletionKind, FilePosition, TextEdit};
use warplens_isa::wave as isa;

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;
use crate::wave::completion::line::{Line, Statement};
use crate::wave::completion::structure::Around;

pub(super) fn proposals(position: &FilePosition<'_>) -> Proposals {
    let line = Line::before(position);
    let mut proposals = Proposals::replacing(line.word);
    match line.statement() {
        Statement::Start { guarded } => start(position, &line, guarded, &mut proposals),
        Statement::Guard { negated } => operands::guard(position, negated, &mut proposals),
        Statement::Instruction { name, operands: [] } if line.typed.starts_with('.') && line.is_glued => {
            mnemonics::suffix(&name, &mut proposals);
        }
        Statement::Instruction { name, operands } => {
            operands::operand(position, &name, operands, &mut proposals);
        }
        Statement::Directive { .. } | Statement::Other => {}
    }
    proposals
}

fn start(position: &FilePosition<'_>, line: &Line, guarded: bool, proposals: &mut Proposals) {
    let around = Around::of(position, line.word.start());
    let is_directive = line.typed.starts_with('.');
    if guarded {
        return mnemonics::instructions(position, proposals);
    }
    if around.is_kernel && !is_directive {
        structure::words(position, line, &around, proposals);
        mnemonics::instructions(position, proposals);
    }
    directives(&around, |name| structure::moves(position, line, name), proposals);
}

pub(super) fn in_empty_file(proposals: &mut Proposals) {
    directives(&Around::default(), |_| None, proposals);
}

/// The directives that are allowed. Outside a kernel, only the one that starts a kernel is.
fn directives(around: &Around, moves: impl Fn(&str) -> Option<TextEdit>, proposals: &mut Proposals) {
    let fits = |name: &str| match name {
        ".kernel" => !around.is_kernel,
        ".end" => around.is_kernel && !around.is_closed,
        _ => around.is_kernel,
    };
    let directives = isa::directives().iter().filter(|directive| fits(directive.name));
    proposals.extend(directives.map(|directive| {
        let name = Snippet::text(directive.name);
        let insert = match directive.arguments {
            "" => name,
            arguments if around.is_kernel => name.then(" ").placeholder(arguments),
            arguments => {
                Snippet::template(&format!("{} ‹{arguments}›\n    ‹›\n    halt\n.end", directive.name))
            }
        };
        let known = Proposal::known(directive.name, directive.summary, CompletionKind::Directive, 1);
        Proposal { insert, moves: moves(directive.name), ..known }
    }));
}

#[cfg(test)]
mod tests;
