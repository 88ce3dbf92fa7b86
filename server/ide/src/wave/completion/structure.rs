//! Keywords of constructs, proposed wherever they are allowed. A keyword that opens a construct is proposed
//! with the one that closes it.

use text_size::TextSize;
use warplens_hir::wave::{Code, Link};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{CompletionKind, FilePosition, TextEdit};
use warplens_isa::wave as isa;

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;
use crate::wave::completion::line::Line;
use crate::wave::completion::operands;
use crate::wave::format::typed;

const WORDS: [&str; 7] = ["if", "else", "endif", "loop", "break", "continue", "endloop"];

pub(super) fn has(mnemonic: &str) -> bool {
    WORDS.contains(&mnemonic)
}

/// The constructs that are open around a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Around {
    pub(super) is_kernel: bool,
    pub(super) is_closed: bool,
    /// Whether the innermost construct is an `if` without an `else`.
    takes_else: bool,
    /// Whether the innermost construct is an `if`, and an `if` around the position lacks its `endif`.
    takes_endif: bool,
    /// Whether the innermost construct is a `loop`, and a `loop` around the position lacks its `endloop`.
    takes_endloop: bool,
    is_in_loop: bool,
    /// Whether a later `endif` does not close a construct yet.
    awaits_if: bool,
    /// Whether a later `endloop` does not close a construct yet.
    awaits_loop: bool,
}

impl Around {
    /// The constructs that are open before the word at `start`.
    pub(super) fn of(position: &FilePosition<'_>, start: TextSize) -> Around {
        let code = wave_code(position.db, position.item);
        let kernel = code.kernel.as_ref().filter(|kernel| kernel.encloses(start));
        let Some(kernel) = kernel else { return Around::default() };
        let at = code.instructions.partition_point(|instruction| instruction.range.start() < start);
        // The word being typed may already close a construct.
        let typed = code.instructions.get(at).filter(|instruction| instruction.range.start() == start);
        let after = at + usize::from(typed.is_some());
        let stack = open(&code, at);
        let is_open = |opener: &usize| end(&code, *opener).is_none_or(|end| (at..after).contains(&end));
        let innermost = stack.last().and_then(|opener| code.links[*opener]);
        let any_open = |wanted: fn(&Link) -> bool| {
            stack.iter().any(|opener| code.links[*opener].as_ref().is_some_and(wanted) && is_open(opener))
        };
        let awaits = |mnemonic: &str| {
            let rest = code.instructions.iter().zip(&code.links).skip(after);
            rest.into_iter().any(|(instruction, link)| link.is_none() && instruction.mnemonic == mnemonic)
        };
        let is_loop = |link: &Link| matches!(link, Link::Loop { .. });
        let is_if = |link: &Link| matches!(link, Link::If { .. });
        Around {
            is_kernel: true,
            is_closed: kernel.end.is_some(),
            takes_else: matches!(innermost, Some(Link::If { otherwise, .. })
                if otherwise.is_none_or(|other| (at..after).contains(&(other as usize)))),
            takes_endif: innermost.as_ref().is_some_and(is_if) && any_open(is_if),
            takes_endloop: innermost.as_ref().is_some_and(is_loop) && any_open(is_loop),
            is_in_loop: stack.iter().any(|opener| code.links[*opener].as_ref().is_some_and(is_loop)),
            awaits_if: awaits("endif"),
            awaits_loop: awaits("endloop"),
        }
    }

    fn takes(&self, word: &str) -> bool {
        match word {
            "else" => self.takes_else,
            "endif" => self.takes_endif,
            "endloop" => self.takes_endloop,
            "break" | "continue" => self.is_in_loop,
            _ => true,
        }
    }
}

/// The constructs that are open before the instruction `at`, outermost first.
fn open(code: &Code, at: usize) -> Vec<usize> {
    let mut stack = Vec::new();
    for index in 0..at {
        match code.links[index] {
            Some(Link::If { .. } | Link::Loop { .. }) => stack.push(index),
            Some(Link::EndIf { open } | Link::EndLoop { open }) => {
                stack.retain(|opener| *opener != open as usize);
            }
            _ => {}
        }
    }
    stack
}

/// The instruction that closes a construct.
fn end(code: &Code, opener: usize) -> Option<usize> {
    match code.links[opener] {
        Some(Link::If { end, .. } | Link::Loop { end }) => end.map(|end| end as usize),
        _ => None,
    }
}

/// The keywords that are allowed. Those that close a construct come first, and are dedented.
pub(super) fn words(position: &FilePosition<'_>, line: &Line, around: &Around, proposals: &mut Proposals) {
    let predicate = operands::likely_predicate(position);
    let condition = |word: &str| Snippet::template(&format!("{word} ‹{predicate}›"));
    for word in WORDS.into_iter().filter(|word| around.takes(word)) {
        let (insert, detail) = match word {
            "if" if !around.awaits_if => {
                (Snippet::template(&format!("if ‹{predicate}›\n    ‹›\nendif")), "if … endif")
            }
            "loop" if !around.awaits_loop => {
                let whole = format!("loop\n    ‹›\n    break ‹{predicate}›\nendloop");
                (Snippet::template(&whole), "loop … break … endloop")
            }
            "if" | "break" | "continue" => (condition(word), summary(word)),
            _ => (Snippet::text(word), summary(word)),
        };
        let proposal = Proposal::known(word, detail, CompletionKind::Opcode, 0);
        proposals.add(Proposal { insert, moves: moves(position, line, word), ..proposal });
    }
    if !around.awaits_if {
        let both = Snippet::template(&format!("if ‹{predicate}›\n    ‹›\nelse\n    ‹›\nendif"));
        let label = "if … else … endif";
        let proposal = Proposal::word(label, CompletionKind::Snippet, 2)
            .with_detail("taken and not-taken path of a branch");
        proposals.add(Proposal { insert: both, ..proposal });
    }
}

fn summary(word: &str) -> &'static str {
    isa::instruction(word).map_or("", |entry| entry.summary)
}

/// Changes the white space before a keyword that closes a construct, so that the keyword is indented as
/// formatted.
pub(super) fn moves(position: &FilePosition<'_>, line: &Line, word: &str) -> Option<TextEdit> {
    if !line.tokens.is_empty() {
        return None;
    }
    let text = position.file.document(position.db).items().text();
    typed::closing(position.db, position.file, &text, (position.in_file(line.word).start(), word))
}
