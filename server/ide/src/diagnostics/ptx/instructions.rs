//! Opcodes and modifiers that do not exist.
//!
//! A function uses few distinct mnemonics, so each is judged once; only for an instruction with a bad one is the tree
//! asked where its words stand.

use warplens_hir::ptx::{Function, Instruction, Mnemonic};
use warplens_isa::ptx as isa;
use warplens_syntax::SyntaxNode;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use super::super::{Problem, codes};
use crate::db::{Db, Item};
use crate::explain::ptx::accepts;
use crate::place::token_covering;
use crate::similar::{nearest, suggestion};

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    let verdicts: Vec<Option<Verdict>> = function.mnemonics().iter().map(judge).collect();
    if verdicts.iter().all(Option::is_none) {
        return;
    }
    let parse = item.parse(db);
    let tree = parse.syntax();
    for instruction in function.instructions() {
        let Some(verdict) = &verdicts[instruction.mnemonic_id().index()] else { continue };
        // What the parser already complains about is not judged as well.
        let is_whole = !parse.errors().iter().any(|error| instruction.range().contains_range(error.range));
        if is_whole {
            problems.extend(verdict.problem(instruction, &tree));
        }
    }
}

/// What is wrong with a mnemonic.
enum Verdict {
    Opcode { message: String },
    Modifier { index: usize, message: String },
}

impl Verdict {
    fn problem(&self, instruction: Instruction<'_>, tree: &SyntaxNode) -> Option<Problem> {
        match self {
            Verdict::Opcode { message } => {
                Some(Problem::error(instruction.opcode_range(), codes::UNKNOWN_INSTRUCTION, message.as_str()))
            }
            Verdict::Modifier { index, message } => {
                let opcode = token_covering(tree, instruction.opcode_range().start())?;
                let node = ast::Instruction::cast(opcode.parent()?)?;
                let word = node.modifiers().nth(*index)?;
                Some(Problem::error(word.text_range(), codes::UNKNOWN_MODIFIER, message.as_str()))
            }
        }
    }
}

fn judge(mnemonic: &Mnemonic) -> Option<Verdict> {
    let entries = isa::by_opcode(&mnemonic.opcode);
    if entries.is_empty() {
        return Some(Verdict::Opcode { message: unknown_opcode(mnemonic) });
    }
    let unknown = |word: &str| !entries.iter().any(|entry| accepts(entry, word));
    let words = mnemonic.modifiers.iter().map(|word| format!(".{word}"));
    let (index, word) = words.enumerate().find(|(_, word)| unknown(word))?;
    Some(Verdict::Modifier { index, message: unknown_modifier(&mnemonic.opcode, &word, entries) })
}

fn unknown_opcode(mnemonic: &Mnemonic) -> String {
    let opcode = &mnemonic.opcode;
    let lower = opcode.to_ascii_lowercase();
    if lower != *opcode && !isa::by_opcode(&lower).is_empty() {
        return format!("`{opcode}` is not an instruction: opcodes are written in lower case, `{lower}`");
    }
    format!("`{opcode}` is not an instruction{}", suggestion(opcode, isa::opcodes().iter().copied()))
}

fn unknown_modifier(opcode: &str, word: &str, entries: &[&isa::Instruction]) -> String {
    let vocabulary = || entries.iter().flat_map(|entry| entry.vocabulary.iter().copied());
    let known =
        !isa::modifier(word).is_empty() || isa::type_(word).is_some() || isa::state_space(word).is_some();
    let problem = if known { "takes no" } else { "has no modifier" };
    match nearest(word, vocabulary()) {
        Some(found) => format!("`{opcode}` {problem} `{word}`; did you mean `{found}`?"),
        None => format!("`{opcode}` {problem} `{word}`"),
    }
}
