//! `no-such-encoding`: numbers and registers that do not fit into the fields of an encoding.

use text_size::TextRange;
use warplens_hir::sass::{Function, Immediate, Instruction, Operand, Register, RegisterFile, Value, flow};
use warplens_isa::sass::{self as isa, Flow, Generation};

use super::signed_hex::signed_hex;

/// The files of which a register may have a number of more than 8 bits, and the last one of any target.
const BEYOND: [RegisterFile; 2] = [RegisterFile::General, RegisterFile::Uniform];
const LAST: u8 = 254;

pub(super) fn check(
    function: &Function,
    instruction: &Instruction,
    stated: bool,
    report: &mut dyn FnMut(TextRange, String),
) {
    let operands = function.operands(instruction);
    let registers = operands.iter().flat_map(registers);
    let guard = instruction.guard.map(|guard| (guard.range, guard.register));
    for (range, register) in guard.into_iter().chain(registers) {
        if let Some(last) =
            last_register(function, register.file, stated).filter(|last| register.number > *last)
            && !register.is_constant()
        {
            let last = Register::new(register.file, last);
            report(range, format!("there is no `{register}`: the last one is `{last}`"));
        }
    }
    for operand in operands {
        if let Value::Word(word) = &operand.value
            && let Some(file) = BEYOND.into_iter().find(|file| is_numbered(word, file.prefix()))
        {
            let last = Register::new(file, last_register(function, file, stated).unwrap_or(LAST));
            report(operand.range, format!("there is no `{word}`: the last one is `{last}`"));
        }
    }
    let (bits, (low, high)) = offset_field(function, stated);
    let accesses_memory = MEMORY.contains(&instruction.opcode.as_str());
    for operand in operands.iter().filter(|_| accesses_memory) {
        if let Value::Address(address) = &operand.value
            && !address.terms.is_empty()
            && !(low..=high).contains(&address.offset)
        {
            let (opcode, offset) = (&instruction.opcode, signed_hex(address.offset));
            report(operand.range, format!("the offset of `{opcode}` has {bits}, and {offset} does not fit"));
        }
    }
    let immediates = operands.iter().filter_map(|operand| match operand.value {
        Value::Immediate(Immediate::Integer(number)) => Some((operand, number)),
        _ => None,
    });
    for (operand, number) in immediates {
        let Some((what, bits, (low, high))) = field(function, instruction, stated, operand) else { continue };
        if !(low..=high).contains(&number) {
            let opcode = &instruction.opcode;
            report(
                operand.range,
                format!("{what} of `{opcode}` has {bits} bits, and {} does not fit", signed_hex(number)),
            );
        }
    }
}

/// Instructions whose address is a register and an offset.
const MEMORY: [&str; 17] = [
    "LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL", "LDSM", "STSM", "ATOM", "ATOMG", "ATOMS", "RED",
    "REDG", "LDGSTS", "CCTL",
];

/// The bits of the offset in an address, and its range. Fermi and Kepler have room for a word.
fn offset_field(function: &Function, stated: bool) -> (&'static str, (i64, i64)) {
    match stated && function.generation > Generation::Kepler {
        true => ("24 bits with a sign", (-0x80_0000, 0x7f_ffff)),
        false => ("32 bits", (-0x8000_0000, 0xffff_ffff)),
    }
}

fn registers(operand: &Operand) -> Vec<(TextRange, Register)> {
    match &operand.value {
        Value::Register(register) => vec![(operand.range, *register)],
        Value::RegisterTarget(target) => vec![(target.range, target.register)],
        Value::Address(address) => address.terms.iter().map(|term| (term.range, term.register)).collect(),
        _ => Vec::new(),
    }
}

fn is_numbered(word: &str, prefix: &str) -> bool {
    word.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The highest number of a register; `None` if it depends on a target that is not stated.
fn last_register(function: &Function, file: RegisterFile, stated: bool) -> Option<u8> {
    Some(match file {
        RegisterFile::Predicate | RegisterFile::UniformPredicate => 6,
        RegisterFile::Barrier => 15,
        RegisterFile::Scoreboard => 5,
        RegisterFile::General if function.generation == Generation::Fermi && stated => 62,
        RegisterFile::Uniform if function.generation < Generation::Blackwell && stated => 62,
        RegisterFile::General | RegisterFile::Uniform => return None,
    })
}

type Field = (&'static str, u32, (i64, i64));

/// The field of an immediate, if its width is known.
fn field(function: &Function, instruction: &Instruction, stated: bool, operand: &Operand) -> Option<Field> {
    const WORD: (i64, i64) = (-0x8000_0000, 0xffff_ffff);
    let opcode = instruction.opcode.as_str();
    let is_wide = function.modifiers(instruction).iter().any(|word| word.text.contains("64"));
    if flow(instruction) != Flow::Next || is_wide || isa::opcode(opcode).is_none() {
        return None;
    }
    let numbers = function.operands(instruction).iter();
    let numbers = numbers.filter(|other| !other.register().is_some_and(Register::is_predicate));
    let numbers: Vec<&Operand> = numbers.collect();
    let at = numbers.iter().position(|other| other.range == operand.range)?;
    let is_last = at + 1 == numbers.len();
    Some(match opcode {
        "LOP3" | "ULOP3" if is_last && numbers.len() == 5 => ("the truth table", 8, (0, 0xff)),
        "PLOP3" | "UPLOP3" => ("the truth table", 8, (0, 0xff)),
        "ISCADD" if is_last && numbers.len() == 4 => ("the shift", 5, (0, 0x1f)),
        "LEA" | "ULEA" if is_last && numbers.len() == 4 => ("the shift", 5, (0, 0x1f)),
        "SHFL" if at == 2 && numbers.len() == 4 => ("the lane", 5, (0, 0x1f)),
        "SHFL" if at == 3 => ("the mask", 13, (0, 0x1fff)),
        "BAR" if at == 0 => ("the number of the barrier", 4, (0, 0xf)),
        // `IADD3` prints its immediate without a sign.
        _ if stated && !function.generation.has_convergence_barriers() && !opcode.contains("32I") => {
            ("the immediate", 20, (-0x8_0000, 0xf_ffff))
        }
        _ => ("the immediate", 32, WORD),
    })
}
