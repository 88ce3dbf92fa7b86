//! Encodes statements like the assembler. Only this module decides which statements the assembler accepts:
//! like the assembler, by the position and the class of each operand.

use rustc_hash::FxHashMap;
use warplens_hir::wave::{Code, Guard, Instruction, ProblemKind, Scope, Value};
use warplens_isa::wave::{self as isa, Availability, Encoding, Group};

const LAST_REGISTER: u8 = 31;

/// The size of a word. Labels and jumps count bytes.
pub(crate) const WORD: u32 = 4;

/// The opcode shared by control, waiting and moves.
pub(crate) const SHARED_OPCODE: u8 = 0x3f;

/// The lowest bits of the fields in the first word.
pub(crate) mod field {
    pub(crate) const OPCODE: u32 = 26;
    pub(crate) const D: u32 = 21;
    pub(crate) const A: u32 = 16;
    pub(crate) const B: u32 = 11;
    pub(crate) const MODIFIER: u32 = 7;
    pub(crate) const SCOPE: u32 = 5;
    pub(crate) const GUARD: u32 = 3;
    pub(crate) const NEGATED: u32 = 2;
    /// In the second word.
    pub(crate) const C: u32 = 27;
    /// In the second word.
    pub(crate) const E: u32 = 22;
    pub(crate) const SYNC: u32 = 1;
    pub(crate) const MOVE: u32 = 2;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) first: u32,
    pub(crate) second: Option<u32>,
}

/// The number of words of a statement; 1 for an unknown one.
pub(crate) fn size(instruction: &Instruction) -> u32 {
    let wide = instruction.entry.and_then(|entry| entry.encoding).is_some_and(|encoding| encoding.wide);
    1 + u32::from(wide)
}

/// The targets of labels, in bytes from the start of the file. The first one of duplicates counts.
pub(crate) type Labels<'c> = FxHashMap<&'c str, u32>;

pub(crate) fn labels<'c>(file: &[&'c Code]) -> Labels<'c> {
    let mut places = Labels::default();
    let mut start = 0;
    for code in file {
        let mut ends = vec![start];
        for instruction in &code.instructions {
            start += size(instruction) * WORD;
            ends.push(start);
        }
        for label in &code.labels {
            let place = ends.get(label.before as usize).copied().unwrap_or(start);
            places.entry(label.name.as_str()).or_insert(place);
        }
    }
    places
}

/// The words of a statement, or `None` if the assembler rejects it.
pub(crate) fn encode(code: &Code, instruction: &Instruction, labels: &Labels<'_>) -> Option<Words> {
    let entry = instruction.entry?;
    let encoding = entry.encoding?;
    if is_broken(code, instruction) {
        return None;
    }
    let mut words = Words { first: first_word(encoding, instruction), second: encoding.wide.then_some(0) };
    let form = entry.operands_of(&instruction.mnemonic);
    let omitted = form.first().is_some_and(|first| first.optional) && instruction.operands.len() < form.len();
    let form = form.slice(usize::from(omitted)..);
    if form.len() != instruction.operands.len() {
        return None;
    }
    for (place, operand) in form.iter().zip(&instruction.operands) {
        match (place.name, operand.value) {
            ("target", Value::Label(word)) => {
                words.second = Some(*labels.get(code.word(word).as_str())?);
            }
            (name, value) => words.put(entry.mnemonic, name, &value)?,
        }
        // Operands after the last register of a compare-and-swap are ignored.
        if place.name == "desired" {
            break;
        }
    }
    Some(words)
}

/// Whether the assembler rejects the text of a statement, whatever its operands.
fn is_broken(code: &Code, instruction: &Instruction) -> bool {
    let special = instruction.operands.iter().any(|operand| matches!(operand.value, Value::Special(_)));
    let cas = instruction.operand("expected").is_some();
    let after = code.problems.partition_point(|problem| problem.range.start() < instruction.range.start());
    let mut problems =
        code.problems[after..].iter().take_while(|problem| problem.range.start() <= instruction.range.end());
    let stumbles = problems.any(|problem| {
        matches!(
            problem.kind,
            ProblemKind::UnknownSuffix(_)
                | ProblemKind::PredicateIndex
                | ProblemKind::RegisterIndex
                | ProblemKind::UnknownSpecial(_)
                | ProblemKind::MissingNewline(_)
        )
    });
    stumbles || !instruction.complete && !special && !cas
}

fn first_word(encoding: Encoding, instruction: &Instruction) -> u32 {
    let group = match encoding.group {
        Group::Plain => 0,
        Group::Sync => field::SYNC,
        Group::Move => field::MOVE,
    };
    // A hint occupies the bits of the group. Without a hint, no bits are set.
    let hint = instruction.hint.map_or(0, u32::from);
    let guard = instruction.guard.map_or(0, |Guard { predicate, negated, .. }| {
        u32::from(predicate) << field::GUARD | u32::from(negated) << field::NEGATED
    });
    u32::from(encoding.opcode) << field::OPCODE
        | u32::from(encoding.modifier.unwrap_or(0)) << field::MODIFIER
        | group
        | hint
        | guard
}

impl Words {
    /// Encodes an operand like the assembler.
    fn put(&mut self, mnemonic: &str, name: &str, value: &Value) -> Option<()> {
        match (name, mnemonic) {
            ("rd", _) => self.first |= register(value)? << field::D,
            ("pd", _) => self.first |= predicate(value)? << field::D,
            ("ps", _) => self.first |= predicate(value)? << field::A,
            ("rs1", "select") => self.first |= register(value)? << field::B,
            // Five bits in a field of four: the fifth bit overflows into the adjacent register field.
            ("rs2", "select") => self.first |= register(value)? << field::MODIFIER,
            ("rs1", "mov") => {
                let modifier = u32::from(matches!(value, Value::Special(_))) * MOVE_SPECIAL;
                self.first |= register(value)? << field::A | modifier << field::MODIFIER;
            }
            ("rs1" | "addr", _) => self.first |= register(value)? << field::A,
            ("rs2" | "expected", _) => self.first |= register(value)? << field::B,
            ("rs3" | "desired", _) => self.second = Some(self.second? | register(value)? << field::C),
            ("rs4", _) => self.second = Some(self.second? | register(value)? << field::E),
            ("sr", _) => match value {
                Value::Special(_) => self.first |= register(value)? << field::A,
                _ => return None,
            },
            ("scope", _) => self.first |= scope(value)? << field::SCOPE,
            ("imm", _) => self.second = Some(immediate(value)?),
            _ => return None,
        }
        Some(())
    }
}

/// The flag that makes a `mov` a `mov_sr`.
const MOVE_SPECIAL: u32 = 2;

/// A general register, a half of one, or a special register, which is encoded as the general register with
/// its number.
fn register(value: &Value) -> Option<u32> {
    match value {
        Value::Register { index, .. } if *index <= LAST_REGISTER => Some(u32::from(*index)),
        Value::Special(known) => (known.available == Availability::Crates).then_some(u32::from(known.index)),
        _ => None,
    }
}

fn predicate(value: &Value) -> Option<u32> {
    match value {
        Value::Predicate { index, negated: false } => Some(u32::from(*index)),
        _ => None,
    }
}

fn scope(value: &Value) -> Option<u32> {
    let Value::Scope(scope) = value else { return None };
    let name = match scope {
        Scope::Wave => "wave",
        Scope::Workgroup => "workgroup",
        Scope::Device => "device",
        Scope::System => "system",
    };
    isa::scopes().iter().position(|known| known.name == name).map(|place| place as u32)
}

/// 32 bits of an integer, or the low half of a float's binary64.
fn immediate(value: &Value) -> Option<u32> {
    match value {
        Value::Integer { value, .. } => {
            u32::try_from(*value).ok().or_else(|| i32::try_from(*value).ok().map(|value| value as u32))
        }
        Value::Float(bits) => Some(*bits as u32),
        _ => None,
    }
}
