//! `unknown-instruction` and `unknown-modifier`: an opcode that no instruction has, and a modifier that no form of the
//! instruction has.
//!
//! A function uses few distinct mnemonics, so each is checked once.

use warplens_hir::ptx::{Function, Mnemonic, Operand};
use warplens_ide_db::ptx::forms::accepts;
use warplens_ide_db::{Db, Item, ItemFix, Problem, did_you_mean, nearest};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::ptx::cuda_names;
use crate::ptx::statement_ranges::StatementRanges;

/// The problem of a mnemonic: its opcode, or one of its modifiers, is unknown.
pub(super) struct Verdict {
    /// The index of the modifier; `None` for the opcode.
    modifier: Option<usize>,
    message: String,
    /// The most similar known word.
    meant: Option<String>,
}

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    let verdicts: Vec<Option<Verdict>> = function.mnemonics().iter().map(judge).collect();
    if verdicts.iter().all(Option::is_none) {
        return;
    }
    let ranges = StatementRanges::new(item.parse(db));
    for instruction in function.instructions() {
        let Some(verdict) = &verdicts[instruction.mnemonic_id().index()] else { continue };
        // Statements with a syntax error are not checked.
        if !ranges.is_whole(instruction) {
            continue;
        }
        let (code, range) = match verdict.modifier {
            None => (codes::UNKNOWN_INSTRUCTION, Some(instruction.opcode_range())),
            Some(index) => (codes::UNKNOWN_MODIFIER, ranges.modifier(instruction, index)),
        };
        let Some(range) = range else { continue };
        let problem = Problem::error(range, code, verdict.message.as_str());
        if let Some(statement) =
            cuda_names::statement(&instruction.mnemonic().opcode).filter(|_| verdict.modifier.is_none())
        {
            let operands = ranges.operands_from(instruction, 0);
            let has_arguments = instruction.operands().iter().any(|operand| match operand {
                Operand::Arguments(list) => !function.operands(*list).is_empty(),
                _ => true,
            });
            let whole = operands.map_or(range, |operands| range.cover(operands));
            problems.push(problem.with_fix((!has_arguments).then(|| ItemFix::replacement(whole, statement))));
            continue;
        }
        let fix = verdict.meant.as_deref().map(|meant| ItemFix::replacement(range, meant));
        problems.push(problem.with_fix(fix));
    }
}

pub(super) fn judge(mnemonic: &Mnemonic) -> Option<Verdict> {
    let entries = isa::by_opcode(&mnemonic.opcode);
    if entries.is_empty() {
        return Some(unknown_opcode(&mnemonic.opcode));
    }
    let unknown = |word: &str| !entries.iter().any(|entry| accepts(entry, word));
    let words = mnemonic.modifiers.iter().map(|word| format!(".{word}"));
    let (index, word) = words.enumerate().find(|(_, word)| unknown(word))?;
    let vocabulary = entries.iter().flat_map(|entry| entry.vocabulary.iter().copied());
    let known =
        !isa::modifier(&word).is_empty() || isa::type_(&word).is_some() || isa::state_space(&word).is_some();
    let problem = if known { "does not accept" } else { "has no modifier" };
    let meant = nearest(&word, vocabulary.filter(|other| is_alike(&word, other)));
    let message = format!("`{}` {problem} `{word}`{}", mnemonic.opcode, did_you_mean(meant));
    Some(Verdict { modifier: Some(index), message, meant: meant.map(str::to_owned) })
}

/// Whether a word may be a misspelling of another one. A type of another size is none, and neither is a float for an integer.
fn is_alike(word: &str, other: &str) -> bool {
    let Some(other) = isa::type_(other) else { return true };
    let is_float = other.kind == isa::TypeKind::Float;
    match isa::type_(word) {
        Some(ty) => {
            (ty.bits, ty.elements) == (other.bits, other.elements)
                && (other.kind == isa::TypeKind::Bits || is_float == (ty.kind == isa::TypeKind::Float))
        }
        // `.s32x2` is no type.
        None => !(is_float && looks_like_integer(word)),
    }
}

/// Whether this has the form of an integer type: `.s32x2`, `.u12`.
fn looks_like_integer(word: &str) -> bool {
    word.strip_prefix(".s")
        .or_else(|| word.strip_prefix(".u"))
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn unknown_opcode(opcode: &str) -> Verdict {
    let lower = opcode.to_ascii_lowercase();
    if lower != opcode && !isa::by_opcode(&lower).is_empty() {
        let message = format!("unknown instruction `{opcode}`; opcodes are lower case: write `{lower}`");
        return Verdict { modifier: None, message, meant: Some(lower) };
    }
    if let Some(ptx) = cuda_names::ptx(opcode) {
        let message = format!("unknown instruction `{opcode}`, a function of CUDA C++; in PTX it is `{ptx}`");
        return Verdict { modifier: None, message, meant: None };
    }
    let meant = nearest(opcode, isa::opcodes().iter().copied());
    let message = format!("unknown instruction `{opcode}`{}", did_you_mean(meant));
    Verdict { modifier: None, message, meant: meant.map(str::to_owned) }
}
