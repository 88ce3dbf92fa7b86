//! The registers that an instruction reads and writes, derived from its text alone.
//!
//! The destinations are the leading predicates without `!` and the register after them; some opcodes have
//! more destination predicates after that register. The instruction tables list the opcodes without a
//! destination. Modifiers determine how many registers an operand covers.

mod calls;
mod destinations;
mod width;

use smallvec::SmallVec;
use text_size::TextRange;
use warplens_isa::sass as isa;

use super::model::{Function, Instruction};
use super::operand::{Immediate, Operand, Value};
use super::register::{Register, RegisterFile};

pub(super) use calls::add_calls;
pub use destinations::destinations;

pub type Accesses = SmallVec<[Access; 8]>;

/// An access to consecutive registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub register: Register,
    pub count: u8,
    pub is_write: bool,
    /// Where the text names them.
    pub range: TextRange,
}

impl Access {
    pub fn covers(&self, register: Register) -> bool {
        let first = self.register.number;
        self.register.file == register.file
            && (first..first.saturating_add(self.count)).contains(&register.number)
    }

    pub fn registers(self) -> impl Iterator<Item = Register> {
        let first = self.register.number;
        (first..first.saturating_add(self.count)).map(move |number| Register::new(self.register.file, number))
    }
}

/// The accesses of an instruction: its guard first, then its operands in order. Constants such as `RZ` are
/// left out.
pub fn accesses(function: &Function, instruction: &Instruction) -> Accesses {
    let mut found = Accesses::new();
    if let Some(guard) = instruction.guard {
        add(&mut found, guard.register, 1, false, guard.range);
    }
    let operands = function.operands(instruction);
    let destinations = destinations(instruction, operands);
    let widths = width::Widths::new(function, instruction, destinations);
    for (index, operand) in operands.iter().enumerate() {
        let is_write = destinations >> index & 1 != 0;
        operand_accesses(&mut found, operand, is_write, index, &widths);
    }
    masked_predicates(&mut found, instruction, operands);
    found
}

fn add(found: &mut Accesses, register: Register, count: u8, is_write: bool, range: TextRange) {
    if !register.is_constant() {
        found.push(Access { register, count, is_write, range });
    }
}

fn operand_accesses(
    found: &mut Accesses,
    operand: &Operand,
    is_write: bool,
    index: usize,
    widths: &width::Widths<'_>,
) {
    match &operand.value {
        Value::Register(register) => {
            let count = match register.file {
                RegisterFile::General | RegisterFile::Uniform => widths.of_operand(operand, index, is_write),
                _ => 1,
            };
            add(found, *register, count, is_write, operand.range);
        }
        Value::RegisterTarget(target) => add(found, target.register, widths.of_target(), false, target.range),
        Value::Constant(constant) => {
            for (register, count) in [(constant.descriptor, 2), (constant.register, 1)] {
                if let Some(register) = register {
                    add(found, register, count, false, operand.range);
                }
            }
        }
        Value::Address(address) => {
            if let Some(descriptor) = address.descriptor {
                // `idesc[UR7]` is the upper register of a pair, whose lower one is printed before it.
                let count = if address.prefix == "idesc" { 1 } else { 2 };
                add(found, descriptor, count, false, operand.range);
            }
            for term in &address.terms {
                add(found, term.register, widths.of_term(term, index), false, term.range);
            }
        }
        _ => {}
    }
}

/// `R2P PR, R0, 0x7f` writes the predicates in its mask, `P2R R0, PR, RZ, 0x7f` reads them; `UR2UP` and `UP2UR` those of the
/// uniform file.
fn masked_predicates(found: &mut Accesses, instruction: &Instruction, operands: &[Operand]) {
    let is_write = match instruction.opcode.as_str() {
        "R2P" | "UR2UP" => true,
        "P2R" | "UP2UR" => false,
        _ => return,
    };
    let Some(predicates) = operands
        .iter()
        .find(|operand| matches!(&operand.value, Value::Word(word) if word == "PR" || word == "UPR"))
    else {
        return;
    };
    let mask = match operands.last().map(|operand| &operand.value) {
        Some(Value::Immediate(Immediate::Integer(mask))) => *mask,
        _ => 0x7f,
    };
    let file = match instruction.opcode.starts_with('U') {
        true => RegisterFile::UniformPredicate,
        false => RegisterFile::Predicate,
    };
    for number in (0..7).filter(|bit| mask >> bit & 1 != 0) {
        add(found, Register::new(file, number), 1, is_write, predicates.range);
    }
}

/// On sm_80 to sm_89, accesses to global memory read a descriptor that is not printed: the register pair that
/// the function loads from the descriptor's address in bank 0.
pub(super) fn unprinted_descriptor(function: &Function) -> Option<Access> {
    const DESCRIPTOR: i64 = 0x118;
    if function.generation != isa::Generation::Ampere {
        return None;
    }
    let loaded = |instruction: &&Instruction| {
        instruction.opcode == "ULDC"
            && function.operands(instruction).iter().any(|operand| {
                matches!(&operand.value, Value::Constant(it) if it.bank == Some(0) && it.offset == DESCRIPTOR)
            })
    };
    let load = function.instructions.iter().find(loaded)?;
    let register = function.operands(load).first()?.register()?;
    Some(Access { register, count: 2, is_write: false, range: load.range })
}

/// Whether an instruction accesses global memory by a register pair and prints no descriptor.
pub(super) fn needs_descriptor(function: &Function, instruction: &Instruction) -> bool {
    let is_wide = |operand: &Operand| match &operand.value {
        Value::Address(address) => {
            address.descriptor.is_none() && address.terms.iter().any(|term| term.is_wide)
        }
        _ => false,
    };
    function.operands(instruction).iter().any(is_wide)
}
