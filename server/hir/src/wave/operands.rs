//! Matches the operands of an instruction with its forms.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_isa::List;
use warplens_isa::wave::{self as isa, OperandKind};

use super::model::{Instruction, Operand, Role, Value, Word};
use super::problem::{Problem, ProblemKind};

/// The numbers that fit in 32 bits, signed or unsigned.
const IMMEDIATES: std::ops::RangeInclusive<i64> = i32::MIN as i64..=u32::MAX as i64;

const HALF: TextSize = TextSize::new(3);

/// Assigns names and roles to the operands of `instruction` and reports those that do not fit.
///
/// `torn` means that the parser found errors in the operands, so that their number means nothing.
pub(crate) fn resolve(instruction: &mut Instruction, torn: bool, problems: &mut Vec<Problem>) {
    let Some(entry) = instruction.entry else { return };
    let place = instruction.mnemonic_range;
    let operands = &mut instruction.operands;
    let mut form = form(entry.0, &instruction.mnemonic, operands);
    let longest = form.len();
    let may_be_scope = |operand: &Operand| matches!(operand.value, Value::Scope(_) | Value::Invalid);
    let scope_missing = scoped(form) && !operands.last().is_some_and(may_be_scope);
    if scope_missing {
        form = form.slice(..longest - 1);
    }
    let optional = form.first().is_some_and(|first| first.optional);
    if optional && operands.len() < form.len() {
        form = form.slice(1..);
    }
    if operands.len() != form.len() || torn {
        if !torn {
            let least = longest - usize::from(optional) - usize::from(scope_missing && longest > 1);
            let range = operands.get(form.len()).map_or(place, |extra| extra.range);
            let found = operands.len();
            let kind = if scope_missing && longest == 1 && found == 0 {
                ProblemKind::MissingScope { fence: true }
            } else {
                ProblemKind::OperandCount { least, most: longest, found }
            };
            problems.push(Problem { range, kind });
        }
        return;
    }
    if scope_missing {
        problems.push(Problem { range: place, kind: ProblemKind::MissingScope { fence: longest == 1 } });
    }
    instruction.complete = longest > 1 || !scope_missing;
    for (operand, form) in operands.iter_mut().zip(form) {
        instruction.complete &= assign(operand, form, problems);
    }
    if optional && operands.first().is_some_and(is_r0_result) {
        problems.push(Problem { range: operands[0].range, kind: ProblemKind::ResultToR0 });
    }
}

/// Assigns an operand its name and role in the form and reports it if it does not fit. Returns whether it fits.
fn assign(operand: &mut Operand, form: &'static isa::Operand, problems: &mut Vec<Problem>) -> bool {
    operand.name = form.name;
    operand.registers = registers(form.ty);
    operand.role = match form.role {
        warplens_isa::Role::Read => Role::Read,
        warplens_isa::Role::Write => Role::Write,
        warplens_isa::Role::Both => Role::ReadWrite,
    };
    let mismatch = mismatch(operand, form);
    let fits = mismatch.is_none() && operand.value != Value::Invalid;
    match mismatch {
        Some(kind) => problems.push(Problem { range: operand.range, kind }),
        None => problems.extend(oddity(operand, form)),
    }
    if let (Value::Register { index, .. }, [OperandKind::Fragment]) = (operand.value, form.kinds) {
        operand.value = Value::Fragment(index);
    }
    fits
}

/// The form that the mnemonic and the first operand select.
fn form(entry: &'static isa::Instruction, mnemonic: &str, operands: &[Operand]) -> List<isa::Operand> {
    let on_predicates = operands.first().is_some_and(|first| matches!(first.value, Value::Predicate { .. }));
    if on_predicates && !entry.predicate_operands.is_empty() {
        entry.predicate_operands
    } else {
        entry.operands_of(mnemonic)
    }
}

fn scoped(form: List<isa::Operand>) -> bool {
    form.last().is_some_and(|last| last.kinds == [OperandKind::Scope])
}

fn is_r0_result(operand: &Operand) -> bool {
    operand.role == Role::Write && matches!(operand.value, Value::Register { index: 0, .. })
}

/// The number of registers that hold a value of this type, low word first.
fn registers(ty: &str) -> u8 {
    match ty.as_bytes() {
        [_, b'6', b'4', ..] => 2,
        [_, b'1', b'2', b'8', ..] => 4,
        _ => 1,
    }
}

/// The error of an operand that does not fit.
fn mismatch(operand: &Operand, form: &'static isa::Operand) -> Option<ProblemKind> {
    let kinds = form.kinds.iter().fold(0u32, |kinds, kind| kinds | 1 << *kind as u32);
    let takes = |kind: OperandKind| kinds >> kind as u32 & 1 == 1;
    let fits = match &operand.value {
        Value::Register { .. } => takes(OperandKind::General) || takes(OperandKind::Fragment),
        Value::Predicate { negated: false, .. } => takes(OperandKind::Predicate),
        Value::Predicate { negated: true, .. } => takes(OperandKind::NotPredicate),
        Value::Special(_) if takes(OperandKind::General) => {
            let written = operand.role == Role::Write;
            return (!takes(OperandKind::Special)).then_some(ProblemKind::SpecialOperand { written });
        }
        Value::Special(_) => takes(OperandKind::Special),
        Value::Integer { value, .. } if takes(OperandKind::Immediate) => {
            return (!IMMEDIATES.contains(value)).then_some(ProblemKind::ImmediateRange(*value));
        }
        Value::Float(_) => takes(OperandKind::Immediate),
        Value::Scope(_) => takes(OperandKind::Scope),
        Value::Label(_) => takes(OperandKind::Label),
        Value::Integer { .. } => false,
        Value::Fragment(_) | Value::Invalid => true,
    };
    if fits { None } else { Some(ProblemKind::OperandKind { expected: form.kinds }) }
}

/// The warning about an operand that fits.
fn oddity(operand: &Operand, form: &'static isa::Operand) -> Option<Problem> {
    if let Value::Register { half: Some(_), .. } = operand.value {
        let end = operand.range.end();
        let range = TextRange::new(end - HALF, end);
        return Some(Problem { range, kind: ProblemKind::IgnoredHalf });
    }
    let float = matches!(operand.value, Value::Float(_));
    if !float || !form.ty.starts_with(['i', 'u']) {
        return None;
    }
    Some(Problem { range: operand.range, kind: ProblemKind::FloatForInteger })
}

/// The word among the operands of an instruction without operands. It must be the next instruction.
pub(crate) fn missing_newline(instruction: &Instruction, words: &[SmolStr]) -> Option<(TextRange, SmolStr)> {
    let [Operand { value: Value::Label(Word(word)), range, .. }] = &instruction.operands[..] else {
        return None;
    };
    let word = &words[*word as usize];
    let takes_none = |entry: &isa::Instruction| entry.operands.is_empty();
    let swallows = takes_none(instruction.entry?.0) && isa::instruction(word).is_some_and(takes_none);
    swallows.then(|| (*range, word.clone()))
}
