//! Decodes words like the emulator. It must decode every word, because a `call` with a wrong target may jump
//! anywhere.
//!
//! The rows are the general registers, then one row for discarded writes, then one that is always 0.

use warplens_isa::wave::{self as isa, Group};

use super::encode::{SHARED_OPCODE, field};
use crate::op::{Action, Atomic, Condition, PREDICATES, Row, Shuffle, Space, Ternary, Unary};
use crate::operations;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) guard: Option<Condition>,
    /// 1 or 2.
    pub(crate) words: u32,
    pub(crate) kind: Kind,
}

/// A predicate register to read. `None` is a nonexistent one, which reads as false.
pub(crate) type Source = Option<u8>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Compute(Action),
    // Division by zero returns infinity.
    Divide { d: Row, a: Row, b: Row },
    // Crossed bounds crash the emulator.
    Clamp { op: Ternary, d: Row, value: Row, low: Row, high: Row },
    // An unknown comparison, which is always false.
    Never(u8),
    // Fences, `wait` and `nop`.
    Nothing,
    Control(Control),
}

/// An operation that changes which lanes are active, or waits for other waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    If(Source),
    Else,
    EndIf,
    Loop,
    Break(Source),
    Continue(Source),
    EndLoop,
    // To a word.
    Call(u32),
    Return,
    Halt,
    Barrier,
}

/// Why a word is not an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undecodable {
    Opcode(u8),
    Modifier { opcode: u8, modifier: u8 },
    // The second word is missing: the emulator crashes.
    CutOff,
    // The assembler would never produce these words.
    NotAssembled,
}

pub(crate) struct Decoder {
    registers: Row,
    /// By opcode, group and modifier.
    known: Vec<Option<&'static isa::Instruction>>,
}

/// The number of modifiers of an opcode.
const MODIFIERS: usize = 16;
/// The modifier of a compare-and-swap, which no assembler writes.
const CAS: u8 = 8;

struct Fields {
    opcode: u8,
    group: Group,
    d: u8,
    a: u8,
    b: u8,
    modifier: u8,
    second: Option<u32>,
}

impl Fields {
    fn of(word: u32, second: Option<u32>) -> Fields {
        let bits = |from: u32, count: u32| (word >> from & ((1 << count) - 1)) as u8;
        let opcode = bits(field::OPCODE, 6);
        let group = match word {
            _ if opcode != SHARED_OPCODE => Group::Plain,
            _ if word & field::SYNC != 0 => Group::Sync,
            _ if word & field::MOVE != 0 => Group::Move,
            _ => Group::Plain,
        };
        Fields {
            opcode,
            group,
            d: bits(field::D, 5),
            a: bits(field::A, 5),
            b: bits(field::B, 5),
            modifier: bits(field::MODIFIER, 4),
            second,
        }
    }

    fn second(&self) -> Result<u32, Undecodable> {
        self.second.ok_or(Undecodable::CutOff)
    }

    /// A register in the second word.
    fn third(&self, from: u32) -> Result<u8, Undecodable> {
        Ok((self.second()? >> from & 0x1f) as u8)
    }
}

impl Decoder {
    pub(crate) fn new(registers: u32) -> Self {
        let mut known = vec![None; index(SHARED_OPCODE, Group::Move, 0) + MODIFIERS];
        let encoded = || isa::instructions().filter_map(|entry| Some((entry, entry.encoding?)));
        for (entry, encoding) in encoded().filter(|(_, encoding)| encoding.modifier.is_none()) {
            let first = index(encoding.opcode, encoding.group, 0);
            known[first..first + MODIFIERS].fill(Some(entry));
        }
        for (entry, encoding) in encoded() {
            if let Some(modifier) = encoding.modifier {
                known[index(encoding.opcode, encoding.group, modifier)] = Some(entry);
            }
        }
        Decoder { registers, known }
    }

    /// Decodes a word. `second` is the following word.
    pub(crate) fn decode(&self, word: u32, second: Option<u32>) -> Result<Instruction, Undecodable> {
        let fields = Fields::of(word, second);
        let predicate = (word >> field::GUARD & 3) as u8;
        let negated = word >> field::NEGATED & 1 == 1;
        let guard = (predicate != 0 || negated).then_some(Condition { predicate, negated });
        let (kind, words) = match self.oddity(&fields) {
            Some(odd) => odd?,
            None => {
                let entry = self.entry(&fields)?;
                let is_cas = entry.mnemonic.ends_with("_cas");
                let wide = entry.encoding.is_some_and(|encoding| encoding.wide);
                if is_cas && fields.modifier != CAS {
                    return Err(fields.unknown());
                }
                (self.kind(entry, &fields)?, 1 + u32::from(wide))
            }
        };
        Ok(Instruction { guard, words, kind })
    }

    fn entry(&self, fields: &Fields) -> Result<&'static isa::Instruction, Undecodable> {
        let first = index(fields.opcode, fields.group, 0);
        let entry = self.known[first + usize::from(fields.modifier)];
        match self.known[first..first + MODIFIERS].iter().any(Option::is_some) {
            true => entry.ok_or(fields.unknown()),
            false => Err(Undecodable::Opcode(fields.opcode)),
        }
    }

    /// Decodes encodings without a mnemonic that the emulator accepts.
    fn oddity(&self, fields: &Fields) -> Option<Result<(Kind, u32), Undecodable>> {
        const LAST_COMPARISON: u8 = 7;
        const LAST_WIDTH: u8 = 4;
        if self.known[index(fields.opcode, fields.group, fields.modifier)].is_some() {
            return None;
        }
        let some = |opcode, group| self.known[index(opcode, group, 2)].map_or("", |entry| entry.mnemonic);
        match some(fields.opcode, fields.group) {
            "icmp.lt" | "ucmp.lt" | "fcmp.lt" if fields.modifier <= LAST_COMPARISON => {
                Some(Ok((Kind::Never(fields.d), 1)))
            }
            "local_load.u32" if fields.modifier == LAST_WIDTH => {
                Some(Ok((self.load(Space::Local, 4, fields), 1)))
            }
            "local_store.u32" if fields.modifier == LAST_WIDTH => {
                Some(Ok((self.store(Space::Local, 4, fields), 1)))
            }
            _ => None,
        }
    }

    fn kind(&self, entry: &isa::Instruction, fields: &Fields) -> Result<Kind, Undecodable> {
        let [d, a, b] = [self.target(fields.d), self.source(fields.a), self.source(fields.b)];
        let mnemonic = entry.mnemonic;
        if let Some((op, _)) = operations::unary(mnemonic) {
            return Ok(Kind::Compute(Action::Unary { op: backwards(op), d, a }));
        }
        if let Some((op, _)) = operations::binary(mnemonic) {
            return Ok(match mnemonic {
                "fdiv" => Kind::Divide { d, a, b },
                _ => Kind::Compute(Action::Binary { op, d, a, b }),
            });
        }
        if let Some((op, _)) = operations::ternary(mnemonic) {
            let c = self.source(fields.third(field::C)?);
            return Ok(match op {
                Ternary::Clamp | Ternary::FloatClamp => Kind::Clamp { op, d, value: a, low: b, high: c },
                _ => Kind::Compute(Action::Ternary { op, d, a, b, c }),
            });
        }
        if let Some((op, _)) = operations::compare(mnemonic) {
            return Ok(match usize::from(fields.d) < PREDICATES {
                true => Kind::Compute(Action::Compare { op, d: fields.d, a, b }),
                false => Kind::Nothing,
            });
        }
        if let Some((op, sources)) = operations::double(mnemonic) {
            let [a, b] = [fields.a, fields.b].map(|register| self.sources(register));
            let c = if sources > 2 { self.sources(fields.third(field::C)?) } else { a };
            return Ok(Kind::Compute(Action::Double { op, d: self.targets(fields.d), a, b, c }));
        }
        self.moving(mnemonic, fields)
    }

    fn moving(&self, mnemonic: &str, fields: &Fields) -> Result<Kind, Undecodable> {
        let [d, a, b] = [self.target(fields.d), self.source(fields.a), self.source(fields.b)];
        Ok(Kind::Compute(match mnemonic {
            "mov" => Action::Unary { op: Unary::Copy, d, a },
            "mov_imm" => Action::Constant { d, bits: fields.second()? },
            "mov_sr" => match isa::special_registers().get(usize::from(fields.a)) {
                Some(known) if known.available == isa::Availability::Crates => {
                    let register = operations::special(known.name).ok_or(fields.unknown())?;
                    Action::Special { d, register }
                }
                _ => Action::Constant { d, bits: 0 },
            },
            "bfi" => {
                let offset = self.source(fields.third(field::C)?);
                let width = self.source(fields.third(field::E)?);
                Action::InsertBits { d, base: a, value: b, offset, width }
            }
            "cvt_f32_f64" => Action::Narrow { d, a: self.sources(fields.a) },
            "cvt_f64_f32" => Action::Widen { d: self.targets(fields.d), a },
            "select" => {
                let otherwise = self.source(fields.modifier);
                match condition(fields.a) {
                    Some(condition) => Action::Select { d, condition, a: b, b: otherwise },
                    None => Action::Unary { op: Unary::Copy, d, a: otherwise },
                }
            }
            "wave_ballot" => match condition(fields.a) {
                Some(condition) => Action::Ballot { d, condition },
                None => Action::Constant { d, bits: 0 },
            },
            "wave_any" | "wave_all" => match condition(fields.a) {
                _ if usize::from(fields.d) >= PREDICATES => Action::Nothing,
                Some(condition) => Action::Vote { all: mnemonic == "wave_all", d: fields.d, condition },
                None => return Ok(Kind::Never(fields.d)),
            },
            "wave_broadcast" => Action::Broadcast { d, a, lane: b },
            "wave_prefix_sum" => Action::PrefixSum { d, a },
            _ if mnemonic.starts_with("wave_shuffle") => Action::Shuffle {
                kind: operations::shuffle(mnemonic).unwrap_or(Shuffle::Index),
                d,
                a,
                lane: b,
            },
            _ => match mnemonic.strip_prefix("wave_reduce_").and_then(operations::reduce) {
                Some(op) => Action::Reduce { op, d, a },
                None => return self.memory(mnemonic, fields),
            },
        }))
    }

    fn memory(&self, mnemonic: &str, fields: &Fields) -> Result<Kind, Undecodable> {
        let (space, rest) = match mnemonic.strip_prefix("local_") {
            Some(rest) => (Space::Local, rest),
            None => (Space::Device, mnemonic.strip_prefix("device_").unwrap_or(mnemonic)),
        };
        let bytes = || 1 << fields.modifier;
        if rest.starts_with("load") {
            return Ok(self.load(space, bytes(), fields));
        }
        if rest.starts_with("store") {
            return Ok(self.store(space, bytes(), fields));
        }
        let Some(op) = rest.strip_prefix("atomic_").and_then(operations::atomic) else {
            return control(mnemonic, fields);
        };
        let d = (fields.d != 0).then(|| self.target(fields.d));
        let address = self.source(fields.a);
        let mut value = self.source(fields.b);
        let mut desired = value;
        // The expected and the desired value are swapped.
        if op == Atomic::CompareAndSwap {
            value = self.source(fields.third(field::C)?);
            desired = self.source(fields.b);
        }
        Ok(Kind::Compute(Action::Atomic { space, op, d, address, value, desired }))
    }

    fn load(&self, space: Space, bytes: u8, fields: &Fields) -> Kind {
        Kind::Compute(Action::Load {
            space,
            bytes,
            d: self.targets(fields.d),
            address: self.source(fields.a),
        })
    }

    fn store(&self, space: Space, bytes: u8, fields: &Fields) -> Kind {
        let (address, value) = (self.source(fields.a), self.sources(fields.b));
        Kind::Compute(Action::Store { space, bytes, address, value })
    }

    /// The row from which a register is read.
    fn source(&self, register: u8) -> Row {
        let register = Row::from(register);
        if register < self.registers { register } else { self.registers + 1 }
    }

    /// The row to which a register is written.
    fn target(&self, register: u8) -> Row {
        Row::from(register).min(self.registers)
    }

    fn sources<const N: usize>(&self, first: u8) -> [Row; N] {
        std::array::from_fn(|word| self.source(first + word as u8))
    }

    fn targets<const N: usize>(&self, first: u8) -> [Row; N] {
        std::array::from_fn(|word| self.target(first + word as u8))
    }
}

impl Fields {
    fn unknown(&self) -> Undecodable {
        Undecodable::Modifier { opcode: self.opcode, modifier: self.modifier }
    }
}

/// The rows after the registers.
pub(crate) const EXTRA_ROWS: usize = 2;

fn index(opcode: u8, group: Group, modifier: u8) -> usize {
    let group = match group {
        Group::Plain => 0,
        Group::Sync => 1,
        Group::Move => 2,
    };
    (usize::from(opcode) + group) * MODIFIERS + usize::from(modifier)
}

/// The emulator swaps the directions of conversions between integers and floats.
fn backwards(op: Unary) -> Unary {
    match op {
        Unary::F32FromI32 => Unary::I32FromF32,
        Unary::F32FromU32 => Unary::U32FromF32,
        Unary::I32FromF32 => Unary::F32FromI32,
        Unary::U32FromF32 => Unary::F32FromU32,
        other => other,
    }
}

fn condition(predicate: u8) -> Option<Condition> {
    (usize::from(predicate) < PREDICATES).then_some(Condition { predicate, negated: false })
}

fn control(mnemonic: &str, fields: &Fields) -> Result<Kind, Undecodable> {
    let source = (usize::from(fields.a) < PREDICATES).then_some(fields.a);
    Ok(Kind::Control(match mnemonic {
        "if" => Control::If(source),
        "else" => Control::Else,
        "endif" => Control::EndIf,
        "loop" => Control::Loop,
        "break" => Control::Break(source),
        "continue" => Control::Continue(source),
        "endloop" => Control::EndLoop,
        "call" => Control::Call(fields.second()? / super::encode::WORD),
        "return" => Control::Return,
        "halt" => Control::Halt,
        "barrier" => Control::Barrier,
        _ => return Ok(Kind::Nothing),
    }))
}
