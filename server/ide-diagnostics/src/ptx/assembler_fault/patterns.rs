//! The patterns that assemblers get wrong.

use warplens_hir::ptx::{Function, Instruction, InstructionId, Mnemonic, Operand};

use super::packed_sum;
use super::saturated_sum::{self, Folded};
use super::values::{Value, ValueId, Values, is_negated_within, is_signed_extreme, is_wide};

/// A pattern that was found. The instructions are of one function.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// `(x << n) - (x >> (64 - n))`.
    Rotation {
        /// The shifts to the left and to the right.
        shifts: [InstructionId; 2],
        amount: u64,
        /// Whether it is written in another way than the subtraction of a logical shift.
        is_variant: bool,
    },
    /// `max(max(x, -y), z)`.
    Maximum {
        /// `max` or `min`.
        opcode: &'static str,
        inner: Vec<InstructionId>,
        negations: Vec<InstructionId>,
        /// Whether it is another form than the maximum of two absolute values of 32 bits.
        is_variant: bool,
    },
    /// `slct.s32.s32 d, a, b, -x`.
    Selection { negation: InstructionId },
    /// `cvt.sat d, -x`, of a signed number of 16 or 32 bits.
    Saturation { negation: InstructionId },
    /// `add.sat` or `sub.sat` of the result of a statement that the assembler takes into it.
    SaturatedSum { inner: InstructionId, folded: Folded },
    /// `add.s16x2 d, x, c`, of which one half is used.
    PackedSum,
}

impl Found {
    /// The other statements of the pattern.
    pub(super) fn parts(&self) -> impl Iterator<Item = InstructionId> {
        let (inner, negations) = match self {
            Found::Rotation { shifts, .. } => (shifts.as_slice(), &[][..]),
            Found::Maximum { inner, negations, .. } => (inner.as_slice(), negations.as_slice()),
            Found::Selection { negation: part }
            | Found::Saturation { negation: part }
            | Found::SaturatedSum { inner: part, .. } => (std::slice::from_ref(part), &[][..]),
            Found::PackedSum => (&[][..], &[][..]),
        };
        inner.iter().chain(negations).copied()
    }
}

/// The patterns, each with the statement that is reported.
pub(super) fn find(function: &Function) -> Vec<(InstructionId, Found)> {
    let may_end = may_end_a_pattern(function.mnemonics());
    if !may_end.contains(&true) {
        return Vec::new();
    }
    let mut is_labeled = vec![false; function.instructions().len() + 1];
    function.labels().for_each(|label| is_labeled[label.target.index()] = true);
    let mut values = Values::new(function);
    let mut block = 0;
    let mut found = Vec::new();
    for instruction in function.instructions() {
        if is_labeled[instruction.id().index()] {
            values.join();
            block = instruction.id().index();
        }
        if may_end[instruction.mnemonic_id().index()] {
            let patterns = [
                rotation(&mut values, instruction),
                maximum(&mut values, instruction, block),
                selection(&mut values, instruction),
                saturation(&mut values, instruction),
                saturated_sum::find(&mut values, instruction)
                    .map(|(inner, folded)| Found::SaturatedSum { inner, folded }),
                packed_sum::find(&mut values, instruction).then_some(Found::PackedSum),
            ];
            found.extend(patterns.into_iter().flatten().map(|pattern| (instruction.id(), pattern)));
        }
        values.execute(instruction);
        if matches!(instruction.opcode(), "bra" | "brx" | "call" | "ret" | "exit") {
            block = instruction.id().index() + 1;
        }
    }
    found
}

/// For each distinct mnemonic of a function, whether it may end a pattern. Most end none, in most functions.
fn may_end_a_pattern(mnemonics: &[Mnemonic]) -> Vec<bool> {
    let has = |is_one: fn(&Mnemonic) -> bool| mnemonics.iter().any(is_one);
    let shifts = has(|known| known.opcode == "shl" && is_wide(known))
        && has(|known| known.opcode == "shr" && is_wide(known));
    let negates = has(|known| matches!(&*known.opcode, "neg" | "sub" | "mul"));
    let ends = |known: &Mnemonic| {
        shifts && is_wide_sum(known)
            || negates && (is_signed_extreme(known) || is_signed_selection(known) || is_saturation(known))
            || saturated_sum::is_saturating(known)
            || packed_sum::is_packed(known)
    };
    mnemonics.iter().map(ends).collect()
}

fn is_wide_sum(mnemonic: &Mnemonic) -> bool {
    matches!(&*mnemonic.opcode, "add" | "sub") && is_wide(mnemonic)
}

fn is_signed_selection(mnemonic: &Mnemonic) -> bool {
    mnemonic.opcode == "slct" && *mnemonic.modifiers == ["s32", "s32"]
}

fn is_saturation(mnemonic: &Mnemonic) -> bool {
    mnemonic.opcode == "cvt" && mnemonic.has("sat")
}

fn rotation(values: &mut Values<'_>, instruction: Instruction<'_>) -> Option<Found> {
    let ([_, one, other], true) = (instruction.operands(), is_wide_sum(instruction.mnemonic())) else {
        return None;
    };
    let is_sum = instruction.opcode() == "add";
    let (one, other) = (values.read(*one), values.read(*other));
    let pair = |values: &Values<'_>, one: ValueId, other: ValueId| match (values.get(one), values.get(other))
    {
        (
            Value::ShiftLeft { value, amount, at: left },
            Value::ShiftRight { value: same, amount: rest, is_signed, at: right },
        ) if value == same && (1..64).contains(&amount) && rest == 64 - amount => {
            Some((left, right, amount, is_signed))
        }
        _ => None,
    };
    let any = |values: &Values<'_>, one, other| pair(values, one, other).or_else(|| pair(values, other, one));
    let (left, right, amount, is_variant) = match any(values, one, other) {
        // The sum of the shifts is the rotation, unless the shift to the right copies the sign.
        Some((_, _, _, false)) if is_sum => return None,
        Some((left, right, amount, is_signed)) => (left, right, amount, is_sum || is_signed),
        None if is_sum => {
            // The difference as a sum with `0 - x`.
            let negated = |value: ValueId| match values.get(value) {
                Value::Negation { value, is_subtraction: true, .. } => Some(value),
                _ => None,
            };
            let (one, other) = match (negated(one), negated(other)) {
                (Some(one), None) => (one, other),
                (None, Some(other)) => (one, other),
                _ => return None,
            };
            let (left, right, amount, _) = any(values, one, other)?;
            (left, right, amount, true)
        }
        None => return None,
    };
    Some(Found::Rotation { shifts: [left, right], amount, is_variant })
}

fn maximum(values: &mut Values<'_>, instruction: Instruction<'_>, block: usize) -> Option<Found> {
    if !is_signed_extreme(instruction.mnemonic()) {
        return None;
    }
    let [_, one, other] = instruction.operands() else { return None };
    let outer = [values.read(*one), values.read(*other)];
    let mut inner = Vec::new();
    let mut negations = Vec::new();
    let mut absolutes = 0;
    for value in outer {
        let Value::Extreme { operands, at } = values.get(value) else { continue };
        let nested = values.instruction(at);
        let is_same = nested.opcode() == instruction.opcode()
            && nested.has("s16") == instruction.has("s16")
            && nested.guard().is_none();
        // With a constant among the three, the negation stays an instruction of its own.
        let is_constant = |value: &ValueId| matches!(values.get(*value), Value::Constant(_));
        let has_constant = operands.iter().chain(&outer).any(is_constant);
        if !is_same || has_constant || at.index() < block || !values.is_read_once(at) {
            continue;
        }
        let [first, second] = operands.map(|operand| match values.get(operand) {
            Value::Negation { value, at, .. } if is_negated_within(values.instruction(at)) => {
                Some((value, at))
            }
            _ => None,
        });
        // The negation of the second operand is lost; of `max(-x, x)`, that of `x` in any order.
        let is_absolute = first.is_some_and(|(value, _)| value == operands[1]);
        let Some((_, negation)) = second.or(first.filter(|_| is_absolute)) else { continue };
        inner.push(at);
        negations.push(negation);
        let is_absolute = is_absolute || second.is_some_and(|(value, _)| value == operands[0]);
        absolutes += usize::from(is_absolute);
    }
    if inner.is_empty() {
        return None;
    }
    let opcode = if instruction.opcode() == "max" { "max" } else { "min" };
    let is_variant = absolutes < 2 || opcode == "min" || instruction.has("s16");
    Some(Found::Maximum { opcode, inner, negations, is_variant })
}

fn selection(values: &mut Values<'_>, instruction: Instruction<'_>) -> Option<Found> {
    if !is_signed_selection(instruction.mnemonic()) {
        return None;
    }
    let [_, _, _, selector] = instruction.operands() else { return None };
    Some(Found::Selection { negation: lost_negation(values, *selector)? })
}

fn saturation(values: &mut Values<'_>, instruction: Instruction<'_>) -> Option<Found> {
    if !is_saturation(instruction.mnemonic()) {
        return None;
    }
    let [.., to, from] = instruction.modifiers() else { return None };
    // Some numbers do not fit: they are cut to a smaller type, or negative ones to 0.
    let cuts = match &**from {
        "s32" => to.starts_with('u') || matches!(&**to, "s8" | "s16"),
        "s16" => matches!(&**to, "s8" | "u8" | "u16"),
        _ => false,
    };
    let ([_, value], true) = (instruction.operands(), cuts) else { return None };
    Some(Found::Saturation { negation: lost_negation(values, *value)? })
}

/// The negation that makes an operand, if the assembler takes it into the instruction that uses it.
fn lost_negation(values: &mut Values<'_>, operand: Operand) -> Option<InstructionId> {
    let operand = values.read(operand);
    values.lost_negation(operand)
}
