//! `add.sat` and `sub.sat` of a sum: an assembler that simplifies the two as if neither were cut to 32 bits saturates another number.

use warplens_hir::ptx::{Instruction, InstructionId, Mnemonic};

use super::values::{Value, ValueId, Values};

/// What an assembler simplifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folded {
    /// `(x + c) + d` of two constants.
    Constants,
    /// `(x + y) + y`.
    Repeated,
    /// `(x - y) + y`, or a sum with `-y`.
    Cancelled,
}

pub(super) fn is_saturating(mnemonic: &Mnemonic) -> bool {
    matches!(&*mnemonic.opcode, "add" | "sub") && mnemonic.has("sat") && mnemonic.has("s32")
}

/// A value that is added or subtracted.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Term {
    value: ValueId,
    is_subtracted: bool,
}

/// An operand of the saturating statement: what is added, in terms.
struct Addend {
    terms: Vec<Term>,
    /// The statement that computes it, if it is taken apart.
    sum: Option<InstructionId>,
}

/// The statement that the assembler takes into a saturating sum.
pub(super) fn find(values: &mut Values<'_>, instruction: Instruction<'_>) -> Option<(InstructionId, Folded)> {
    let is_difference = match instruction.opcode() {
        "add" => false,
        "sub" => true,
        _ => return None,
    };
    let ([_, one, other], true) = (instruction.operands(), instruction.modifiers() == ["sat", "s32"]) else {
        return None;
    };
    let operands = [values.read(*one), values.read(*other)];
    let addends = addends(values, operands, is_difference);
    let negation = |operand| Some((values.lost_negation(operand)?, Folded::Cancelled));
    constants(values, operands, is_difference)
        .or_else(|| cancelled(&addends))
        .or_else(|| operands.into_iter().find_map(negation))
        .or_else(|| repeated(values, &addends))
}

/// A sum with a constant, and another constant: the assembler adds the constants.
fn constants(
    values: &Values<'_>,
    operands: [ValueId; 2],
    is_difference: bool,
) -> Option<(InstructionId, Folded)> {
    let is_constant = |value| matches!(values.get(value), Value::Constant(constant) if constant != 0);
    let sum = match operands.map(is_constant) {
        [false, true] => operands[0],
        [true, false] if !is_difference => operands[1],
        _ => return None,
    };
    match values.get(sum) {
        Value::Sum { operands, at, .. }
            if operands.into_iter().any(is_constant) && values.is_read_once(at) =>
        {
            Some((at, Folded::Constants))
        }
        _ => None,
    }
}

/// A value that one operand adds and the other subtracts.
fn cancelled([one, other]: &[Addend; 2]) -> Option<(InstructionId, Folded)> {
    let is_cancelled =
        |term: &Term| other.terms.contains(&Term { value: term.value, is_subtracted: !term.is_subtracted });
    let inner = one.sum.or(other.sum)?;
    one.terms.iter().any(is_cancelled).then_some((inner, Folded::Cancelled))
}

/// A sum of two terms, and one of them once more.
fn repeated(values: &Values<'_>, [one, other]: &[Addend; 2]) -> Option<(InstructionId, Folded)> {
    let (sum, term, at) = match (one.sum, other.sum) {
        (Some(at), None) => (one, other.terms[0], at),
        (None, Some(at)) => (other, one.terms[0], at),
        _ => return None,
    };
    // Of three terms, the first sum stays a statement of its own.
    let is_nested = |term: &Term| matches!(values.get(term.value), Value::Sum { .. });
    let is_taken = sum.terms.contains(&term) && !sum.terms.iter().any(is_nested) && values.is_read_once(at);
    is_taken.then_some((at, Folded::Repeated))
}

/// The terms of both operands, with the signs that they have in the result.
fn addends(values: &Values<'_>, operands: [ValueId; 2], is_difference: bool) -> [Addend; 2] {
    let addend = |value: ValueId, is_subtracted: bool| match values.get(value) {
        Value::Sum { operands: [one, other], is_difference, at } => Addend {
            terms: vec![
                Term { value: one, is_subtracted },
                Term { value: other, is_subtracted: is_subtracted != is_difference },
            ],
            sum: Some(at),
        },
        _ => Addend { terms: vec![Term { value, is_subtracted }], sum: None },
    };
    [addend(operands[0], false), addend(operands[1], is_difference)]
}
