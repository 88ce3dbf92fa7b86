//! The values of registers, numbered: two operands with the same number hold the same value.

use std::iter::Peekable;

use warplens_hir::ptx::{
    Function, Instruction, InstructionId, Mnemonic, NameId, Operand, ReferentId, Role, SymbolKind, Writes,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ValueId(usize);

/// How a value is computed, as far as a pattern needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Constant(u64),
    /// `value << amount`, 64 bits wide.
    ShiftLeft {
        value: ValueId,
        amount: u64,
        at: InstructionId,
    },
    /// `value >> amount`, 64 bits wide.
    ShiftRight {
        value: ValueId,
        amount: u64,
        is_signed: bool,
        at: InstructionId,
    },
    /// `-value`. `is_subtraction` distinguishes `0 - value` from `neg`.
    Negation {
        value: ValueId,
        is_subtraction: bool,
        at: InstructionId,
    },
    /// The sum or difference of two values of 32 bits, cut to 32 bits.
    Sum {
        operands: [ValueId; 2],
        is_difference: bool,
        at: InstructionId,
    },
    /// `min` or `max` of two signed values.
    Extreme {
        operands: [ValueId; 2],
        at: InstructionId,
    },
    Other,
}

/// The values of the registers at one instruction after the other.
#[derive(Debug)]
pub(super) struct Values<'f> {
    function: &'f Function,
    values: Vec<Value>,
    /// By register: its value, if it is known, and the number of labels before that.
    registers: Vec<Option<(ValueId, u32)>>,
    labels: u32,
    /// By register: how often it is written and read.
    writes: Vec<u32>,
    reads: Vec<u32>,
    /// By register: the halves that are read. Computed when first needed.
    halves: Vec<[bool; 2]>,
    computes: Vec<bool>,
    /// The names that the instructions from this one on write.
    destinations: Peekable<Writes<'f>>,
}

impl<'f> Values<'f> {
    pub(super) fn new(function: &'f Function) -> Values<'f> {
        let count = function.referent_count();
        let mut values = Values {
            function,
            values: Vec::new(),
            registers: vec![None; count],
            labels: 0,
            writes: vec![0; count],
            reads: vec![0; count],
            halves: Vec::new(),
            computes: function.mnemonics().iter().map(is_computed).collect(),
            destinations: function.writes().peekable(),
        };
        for (referent, role) in function.accesses() {
            if role.writes() {
                values.writes[referent.index()] += 1;
            } else if reads(role) {
                values.reads[referent.index()] += 1;
            }
        }
        values
    }

    pub(super) fn get(&self, value: ValueId) -> Value {
        self.values[value.0]
    }

    pub(super) fn instruction(&self, at: InstructionId) -> Instruction<'f> {
        self.function.instruction(at)
    }

    pub(super) fn is_read_once(&self, at: InstructionId) -> bool {
        let Some(Operand::Register { name, .. }) = self.function.instruction(at).operands().first() else {
            return false;
        };
        let register = self.function.referent(*name);
        self.reads[register.index()] == 1 && self.writes[register.index()] == 1
    }

    /// The halves of a register that are read, if it is written once.
    pub(super) fn used_halves(&mut self, name: NameId) -> Option<[bool; 2]> {
        let register = self.function.referent(name);
        if self.writes[register.index()] != 1 {
            return None;
        }
        if self.halves.is_empty() {
            let function = self.function;
            self.halves = vec![[false; 2]; function.referent_count()];
            let last_reads = last_reads(function);
            for instruction in function.instructions() {
                let is_read =
                    |register: ReferentId| last_reads[register.index()] > instruction.id().index() + 1;
                let read = halves_read(function, instruction, is_read);
                for name in function.names_of(instruction).filter(|name| reads(name.role)) {
                    let halves = &mut self.halves[name.referent.index()];
                    *halves = [halves[0] || read[0], halves[1] || read[1]];
                }
            }
        }
        Some(self.halves[register.index()])
    }

    /// The negation that makes a value, if the assembler takes it into the instruction that uses it.
    pub(super) fn lost_negation(&self, value: ValueId) -> Option<InstructionId> {
        let Value::Negation { value, at, .. } = self.get(value) else { return None };
        // Two negations are none.
        let is_negated = matches!(self.get(value), Value::Negation { .. });
        (!is_negated && is_negated_within(self.instruction(at))).then_some(at)
    }

    /// At a label, registers with several writes have other values.
    pub(super) fn join(&mut self) {
        self.labels += 1;
    }

    fn known(&self, register: ReferentId) -> Option<ValueId> {
        let (value, labels) = self.registers[register.index()]?;
        (labels == self.labels || self.writes[register.index()] < 2).then_some(value)
    }

    fn set(&mut self, register: ReferentId, value: ValueId) {
        self.registers[register.index()] = Some((value, self.labels));
    }

    pub(super) fn read(&mut self, operand: Operand) -> ValueId {
        match operand {
            Operand::Register { name, component: None } => {
                let register = self.function.referent(name);
                if let Some(value) = self.known(register) {
                    return value;
                }
                let value = self.add(Value::Other);
                self.set(register, value);
                value
            }
            _ => self.add(self.function.integer(operand).map_or(Value::Other, Value::Constant)),
        }
    }

    fn constant(&mut self, operand: Operand) -> Option<u64> {
        let value = self.read(operand);
        if let Value::Constant(value) = self.get(value) { Some(value) } else { None }
    }

    fn add(&mut self, value: Value) -> ValueId {
        self.values.push(value);
        ValueId(self.values.len() - 1)
    }

    /// Executes the next instruction: its destinations have new values.
    pub(super) fn execute(&mut self, instruction: Instruction<'f>) {
        let computes = self.computes[instruction.mnemonic_id().index()];
        let computed = if computes { self.compute(instruction) } else { None };
        let destination = match instruction.operands().first() {
            Some(Operand::Register { name, component: None }) => Some(self.function.referent(*name)),
            _ => None,
        };
        while let Some((_, register)) = self.destinations.next_if(|(at, _)| *at == instruction.id()) {
            self.registers[register.index()] = None;
        }
        // A guarded write leaves the old value in some lanes.
        let is_whole = instruction.guard().is_none()
            || destination.is_some_and(|register| self.writes[register.index()] == 1);
        if let (Some(register), Some(value), true) = (destination, computed, is_whole) {
            self.set(register, value);
        }
    }

    fn compute(&mut self, instruction: Instruction<'f>) -> Option<ValueId> {
        let operands = instruction.operands();
        let at = instruction.id();
        let is_64 = is_wide(instruction.mnemonic());
        let value = match (instruction.opcode(), operands) {
            ("mov", [_, source]) => return Some(self.read(*source)),
            ("shl", [_, value, amount]) if is_64 => {
                let amount = self.constant(*amount)?;
                Value::ShiftLeft { value: self.read(*value), amount, at }
            }
            ("shr", [_, value, amount]) if is_64 => {
                let amount = self.constant(*amount)?;
                let is_signed = instruction.has("s64");
                Value::ShiftRight { value: self.read(*value), amount, is_signed, at }
            }
            ("neg", [_, value]) => Value::Negation { value: self.read(*value), is_subtraction: false, at },
            ("sub", [_, zero, value]) if self.constant(*zero) == Some(0) => {
                Value::Negation { value: self.read(*value), is_subtraction: true, at }
            }
            ("add" | "sub", [_, one, other]) if is_cut_sum(instruction) => {
                let operands = [self.read(*one), self.read(*other)];
                Value::Sum { operands, is_difference: instruction.opcode() == "sub", at }
            }
            ("mul", [_, value, factor]) if instruction.has("lo") => {
                let is_minus = |factor: Option<u64>| factor.is_some_and(|factor| factor as i32 == -1);
                match (is_minus(self.constant(*factor)), is_minus(self.constant(*value))) {
                    (true, _) => Value::Negation { value: self.read(*value), is_subtraction: false, at },
                    (_, true) => Value::Negation { value: self.read(*factor), is_subtraction: false, at },
                    _ => return None,
                }
            }
            ("min" | "max", [_, one, other]) if is_signed_extreme(instruction.mnemonic()) => {
                Value::Extreme { operands: [self.read(*one), self.read(*other)], at }
            }
            _ => return None,
        };
        Some(self.add(value))
    }
}

/// By register: the index after the last instruction that reads it; the end in a function with loops, where all reads may be later ones.
fn last_reads(function: &Function) -> Vec<usize> {
    let mut last = vec![0; function.referent_count()];
    let mut has_loops = false;
    for instruction in function.instructions() {
        let at = instruction.id().index();
        has_loops |= instruction.opcode() == "brx";
        for name in function.names_of(instruction) {
            let symbol = name.resolution.symbol().map(|symbol| &function.symbol(symbol).kind);
            has_loops |= matches!(symbol, Some(SymbolKind::Label { target }) if target.index() <= at);
            if reads(name.role) {
                last[name.referent.index()] = at + 1;
            }
        }
    }
    if has_loops {
        last.iter_mut().filter(|last| **last > 0).for_each(|last| *last = usize::MAX);
    }
    last
}

/// The lower and the upper half of a register that an instruction reads. `is_read` tells whether a register is read later.
fn halves_read(
    function: &Function,
    instruction: Instruction<'_>,
    is_read: impl Fn(ReferentId) -> bool,
) -> [bool; 2] {
    let is_used = |element: &Operand| match *element {
        Operand::Register { name, .. } => is_read(function.referent(name)),
        Operand::Sink => false,
        _ => true,
    };
    match (instruction.opcode(), instruction.operands(), instruction.modifiers()) {
        ("mov", [Operand::Vector(halves), Operand::Register { .. }], _) => match function.operands(*halves) {
            [low, high] => [is_used(low), is_used(high)],
            _ => [true, true],
        },
        ("cvt", _, [to, from]) if matches!((&**to, &**from), ("u16" | "s16", "u32" | "s32")) => [true, false],
        _ => [true, true],
    }
}

/// Whether an access reads a register.
fn reads(role: Role) -> bool {
    !role.writes() && role != Role::Declaration
}

/// Whether `Values::compute` may know the result.
fn is_computed(mnemonic: &Mnemonic) -> bool {
    let opcodes = ["mov", "shl", "shr", "neg", "sub", "add", "mul", "min", "max"];
    opcodes.contains(&&*mnemonic.opcode)
}

/// Whether an addition or subtraction has 32 bits and does not saturate.
fn is_cut_sum(instruction: Instruction<'_>) -> bool {
    !instruction.has("sat") && (instruction.has("s32") || instruction.has("u32"))
}

/// Whether it is a minimum or maximum of signed numbers of 16 or 32 bits.
pub(super) fn is_signed_extreme(mnemonic: &Mnemonic) -> bool {
    matches!(&*mnemonic.opcode, "min" | "max") && (mnemonic.has("s32") || mnemonic.has("s16"))
}

/// Whether its type has 64 bits.
pub(super) fn is_wide(mnemonic: &Mnemonic) -> bool {
    ["b64", "u64", "s64"].iter().any(|ty| mnemonic.has(ty))
}

/// Whether the assembler takes a negation into the instruction that uses it: a subtraction of unsigned numbers stays, a
/// multiplication of 16 bits, and what saturates.
pub(super) fn is_negated_within(negation: Instruction<'_>) -> bool {
    match negation.opcode() {
        _ if negation.has("sat") => false,
        "sub" => negation.has("s32") || negation.has("s16"),
        "mul" => !negation.has("s16") && !negation.has("u16"),
        _ => true,
    }
}
