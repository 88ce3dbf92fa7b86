//! Operands that the form of the instruction accepts at the position, with their last writers.

use text_size::TextRange;
use warplens_hir::wave::{Code, Name, NameRef, Role};
use warplens_ide_db::wave::{LABELS, wave_code};
use warplens_ide_db::{CompletionKind, FilePosition, items, module_uses};
use warplens_isa::List;
use warplens_isa::wave as isa;
use warplens_isa::wave::{Instruction, Operand, OperandKind, Suffix};
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::proposals::{Proposal, Proposals};
use crate::wave::explain;

/// The number of predicate registers that a guard or a condition can name.
const PREDICATES: u8 = 4;

/// The proposals for the next operand of the instruction `name`, after these tokens.
pub(crate) fn operand(
    position: &FilePosition<'_>,
    name: &str,
    tokens: &[SyntaxToken],
    proposals: &mut Proposals,
) {
    let Some((_, forms)) = forms(name) else { return };
    let is_negated = tokens.last().is_some_and(|token| token.kind() == SyntaxKind::BANG);
    // A comma must follow the previous operand first.
    if tokens.last().is_some_and(|token| token.kind() != SyntaxKind::COMMA) && !is_negated {
        return;
    }
    let kinds = kinds(&forms, tokens);
    let any = |wanted: &[OperandKind]| wanted.iter().any(|kind| kinds.contains(kind));
    if any(&[OperandKind::Predicate, OperandKind::NotPredicate]) {
        proposals.extend(predicates(position));
    }
    if is_negated {
        return;
    }
    if any(&[OperandKind::General, OperandKind::Fragment]) {
        proposals.extend(registers(position));
    }
    if any(&[OperandKind::Special]) {
        proposals.extend(isa::special_registers().iter().map(|register| {
            Proposal::known(register.name, register.summary, CompletionKind::SpecialRegister, 1)
        }));
    }
    if any(&[OperandKind::Scope]) {
        scopes(proposals);
    }
    if any(&[OperandKind::Label]) {
        labels(position, proposals);
    }
}

/// The instruction with this name, and its forms: with all operands, without the first if that is optional, and the
/// form on predicates. If a scope follows the mnemonic, the forms have no scope operand.
pub(crate) fn forms(written: &str) -> Option<(&'static Instruction, Vec<List<Operand>>)> {
    let (entry, suffix) = explain::mnemonic(written)?;
    let name = written.strip_suffix(suffix.unwrap_or_default())?;
    let mut all = entry.operands_of(name);
    if entry.suffix == Suffix::Scope && suffix.is_some() {
        all = all.slice(..all.len().saturating_sub(1));
    }
    let shorter = all.first().filter(|operand| operand.optional).map(|_| all.slice(1..));
    let on_predicates = Some(entry.predicate_operands).filter(|operands| !operands.is_empty());
    Some((entry, std::iter::once(all).chain(shorter).chain(on_predicates).collect()))
}

/// Whether a form accepts the complete operands in these tokens. A comma ends each of them.
pub(crate) fn fits(form: List<Operand>, tokens: &[SyntaxToken]) -> bool {
    let mut operands = form.iter();
    let written = tokens.split_inclusive(|token| token.kind() == SyntaxKind::COMMA);
    let mut written =
        written.filter(|operand| operand.last().is_some_and(|token| token.kind() == SyntaxKind::COMMA));
    written.all(|tokens| operands.next().is_some_and(|operand| takes(operand, tokens[0].kind())))
}

pub(crate) fn index(tokens: &[SyntaxToken]) -> usize {
    tokens.iter().filter(|token| token.kind() == SyntaxKind::COMMA).count()
}

/// The kinds of operand that can follow, in the forms that accept the operands so far, or else in all forms.
fn kinds(forms: &[List<Operand>], tokens: &[SyntaxToken]) -> Vec<OperandKind> {
    let fitting: Vec<List<Operand>> = forms.iter().copied().filter(|form| fits(*form, tokens)).collect();
    let forms = if fitting.is_empty() { forms } else { &fitting };
    let operands = forms.iter().filter_map(|form| form.get(index(tokens)));
    operands.flat_map(|operand| operand.kinds.iter().copied()).collect()
}

fn takes(operand: &Operand, token: SyntaxKind) -> bool {
    operand.kinds.iter().any(|kind| match kind {
        OperandKind::General | OperandKind::Fragment => token == SyntaxKind::GENERAL_REGISTER,
        OperandKind::Predicate => token == SyntaxKind::PREDICATE_REGISTER,
        OperandKind::NotPredicate => token == SyntaxKind::BANG,
        OperandKind::Special => token == SyntaxKind::SPECIAL_NAME,
        OperandKind::Immediate => matches!(token, SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER),
        OperandKind::Label => token == SyntaxKind::IDENT,
        OperandKind::Scope => matches!(token, SyntaxKind::IDENT | SyntaxKind::DOT_WORD),
    })
}

/// The predicates of a guard. The toolchain ignores `@p0`.
pub(crate) fn guard(position: &FilePosition<'_>, negated: bool, proposals: &mut Proposals) {
    proposals.extend(predicates(position).map(|proposal| match proposal.label == "p0" && !negated {
        true => Proposal { rank: 2, ..proposal.with_detail("the toolchain ignores the guard @p0") },
        false => proposal,
    }));
}

pub(crate) fn scopes(proposals: &mut Proposals) {
    proposals.extend(isa::scopes().iter().map(|scope| {
        let name = format!(".{}", scope.name);
        Proposal::known(&name, scope.summary, CompletionKind::Constant, 0)
    }));
}

/// The most likely predicate of a condition, which is the last one that was written.
pub(crate) fn likely_predicate(position: &FilePosition<'_>) -> String {
    let code = wave_code(position.db, position.item);
    let written = before(&code, position).filter(|found| is_write(found));
    let mut predicates = written.filter_map(|found| match found.name {
        Name::Predicate(index) => Some(index),
        _ => None,
    });
    format!("p{}", predicates.next_back().unwrap_or(1))
}

/// The predicate registers. Those that the kernel writes come first.
fn predicates(position: &FilePosition<'_>) -> impl Iterator<Item = Proposal> {
    let code = wave_code(position.db, position.item);
    (0..PREDICATES).map(move |index| {
        let unwritten = "predicate, not written before";
        known(&code, position, &Name::Predicate(index), format!("p{index}"), unwritten)
    })
}

/// A register with its last writer. Registers without one come later.
fn known(code: &Code, position: &FilePosition<'_>, name: &Name, label: String, unwritten: &str) -> Proposal {
    let writer = last_write(code, position, name);
    let detail = writer.map_or(unwritten, |range| &position.text()[range]);
    Proposal { rank: u32::from(writer.is_none()), ..register(label, detail) }
}

/// The general registers that the kernel uses, with those written before the position first, and the first unused
/// one.
fn registers(position: &FilePosition<'_>) -> Vec<Proposal> {
    let code = wave_code(position.db, position.item);
    let mut used = [false; 256];
    for found in code.names() {
        if let Name::Register(index) = found.name {
            used[usize::from(index)] |= !found.range.contains_inclusive(position.offset);
        }
    }
    let named = (0..=u8::MAX).filter(|index| used[usize::from(*index)]);
    let proposals = named.map(|index| {
        let unwritten = "register, not written before";
        known(&code, position, &Name::Register(index), format!("r{index}"), unwritten)
    });
    let free = (0..=u8::MAX).find(|index| !used[usize::from(*index)]);
    let free = free.filter(|index| u32::from(*index) < code.resources.register_count());
    let unused = |index| Proposal { rank: 2, ..register(format!("r{index}"), "the first unused register") };
    proposals.chain(free.map(unused)).collect()
}

fn before<'c>(code: &'c Code, position: &FilePosition<'_>) -> impl DoubleEndedIterator<Item = &'c NameRef> {
    let end = code.names().partition_point(|found| found.range.end() < position.offset);
    code.names()[..end].iter()
}

fn is_write(found: &NameRef) -> bool {
    matches!(found.role, Role::Write | Role::ReadWrite)
}

/// The last instruction before a position that writes a register, on another line.
fn last_write(code: &Code, position: &FilePosition<'_>, name: &Name) -> Option<TextRange> {
    let here = code.instruction_at(position.offset);
    let mut writes = before(code, position).rev().filter(|found| found.name == *name && is_write(found));
    let writer =
        writes.find_map(|found| code.instruction_at(found.range.start()).filter(|at| Some(*at) != here))?;
    Some(code.instructions[writer].range)
}

fn register(name: String, detail: &str) -> Proposal {
    Proposal {
        explain: Some(name.clone()),
        ..Proposal::word(name, CompletionKind::Register, 0).with_detail(detail)
    }
}

fn labels(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let uses = items(position.db, position.file).iter().flat_map(|item| module_uses(position.db, *item));
    let labels = uses.filter(|name| name.namespace == LABELS && name.declares());
    let proposal = |name: &str| Proposal::word(name, CompletionKind::Label, 0).with_detail("label");
    proposals.extend(labels.map(|label| proposal(&label.name)));
}
