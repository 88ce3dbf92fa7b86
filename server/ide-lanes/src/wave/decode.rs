//! Decodes a WAVE kernel, with the ranges of its statements.

use smol_str::{SmolStr, format_smolstr};
use text_size::TextSize;
use warplens_hir::wave::{Code, Instruction, Link, Value};
use warplens_isa::wave::inexact;
use warplens_sim_warp::ScalarType;
use warplens_sim_warp::StatementId;
use warplens_sim_wave as wave;

use crate::program::{Flow, Numbers, Statement};

/// Decodes a kernel whose item starts at `start`.
pub(crate) fn decode_wave(code: &Code, start: TextSize) -> (wave::Program, Vec<Statement>) {
    let statement = |(index, instruction): (usize, &Instruction)| Statement {
        range: instruction.range + start,
        opcode: instruction.mnemonic_range + start,
        flow: flow(code, index),
        registers: registers(instruction),
        condition: None,
        meanings: Box::default(),
        address: None,
        source: None,
        code: None,
        numbers: inexact(&instruction.mnemonic).map_or(Numbers::Determined, Numbers::Inexact),
    };
    (wave::decode(code), code.instructions.iter().enumerate().map(statement).collect())
}

/// Lanes that diverge at an `if` reconverge at its `endif`, lanes that `break` after `endloop`, and lanes that `continue` at
/// the start of the next iteration.
fn flow(code: &Code, index: usize) -> Flow {
    let statement = |at: u32| ((at as usize) < code.instructions.len()).then_some(StatementId(at));
    match code.links.get(index).copied().flatten() {
        Some(Link::If { end, .. }) => Flow::Branch { reconvergence: end.and_then(statement) },
        Some(Link::Leave { open }) if code.instructions[index].mnemonic == "continue" => {
            Flow::Branch { reconvergence: statement(open) }
        }
        Some(Link::Leave { open }) => {
            let end = match code.links.get(open as usize).copied().flatten() {
                Some(Link::Loop { end }) => end,
                _ => None,
            };
            Flow::Branch { reconvergence: end.and_then(|end| statement(end + 1)) }
        }
        _ => Flow::Plain,
    }
}

/// The registers of an instruction, with the types of their values.
fn registers(instruction: &Instruction) -> Box<[(SmolStr, ScalarType)]> {
    let types = |name: &str| {
        let mut operands = instruction.entry.into_iter().flat_map(|entry| entry.operands);
        operands.find(|operand| operand.name == name).map_or("", |operand| operand.ty)
    };
    let operands = instruction.operands.iter().filter_map(|operand| match operand.value {
        Value::Register { index, .. } => {
            Some((format_smolstr!("r{index}"), kind(types(operand.name), operand.registers)))
        }
        _ => None,
    });
    operands.collect()
}

/// The type of a value in this many registers. Operands that an instruction reads as bits are mostly integers.
fn kind(ty: &str, registers: u8) -> ScalarType {
    let ty = ty.split(' ').next().unwrap_or_default();
    match (ty, ScalarType::of_launches(ty)) {
        ("b32", _) => ScalarType::S32,
        (_, Some(kind @ (ScalarType::F16 | ScalarType::Bf16))) => kind,
        (_, Some(kind)) if kind.bytes() == 4 * usize::from(registers) => kind,
        _ if registers > 1 => ScalarType::B64,
        _ => ScalarType::U32,
    }
}
