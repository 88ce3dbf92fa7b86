//! The parameters of a kernel: those in its notes, or else the constants of bank 0 that it reads.

use std::collections::BTreeMap;

use smol_str::format_smolstr;
use warplens_hir::sass::{BANK_BYTES, Facts, Function, Operand, Value};
use warplens_sim_cuda::tensor::map::BYTES;
use warplens_sim_launch::Parameter;
use warplens_sim_launch::model::{Argument, Passed};
use warplens_sim_warp::scalar_type::ScalarType;

use crate::Target;

/// The size of an address: 4 if accesses to global memory on Fermi and Kepler have no `.E`.
pub(super) fn address_bytes(function: &Function, target: Target) -> u64 {
    let is_access = |opcode: &str| matches!(opcode, "LD" | "ST" | "LDG" | "STG");
    let mut accesses =
        function.instructions.iter().filter(|instruction| is_access(&instruction.opcode)).peekable();
    let is_narrow = target.0 < 50
        && accesses.peek().is_some()
        && accesses.all(|instruction| !function.has_modifier(instruction, "E"));
    if is_narrow { 4 } else { 8 }
}

pub(super) fn parameters(
    function: &Function,
    facts: &Facts,
    target: Target,
    address_bytes: u64,
) -> Vec<Parameter> {
    let places: Vec<(u64, u64)> = match facts.parameters.is_empty() {
        false => facts.parameters.iter().map(|one| (one.offset.into(), one.size.into())).collect(),
        true => read(function, facts, target, address_bytes),
    };
    let mut end = 0u64;
    let mut params = Vec::new();
    for (at, bytes) in places {
        // The smallest alignment that gives this offset.
        let align =
            [1, 2, 4, 8, 16, 32, 64, 128, 256].into_iter().find(|align| end.next_multiple_of(*align) == at);
        params.push(parameter(params.len(), bytes, align.unwrap_or(1)));
        end = at + bytes;
    }
    params
}

fn parameter(index: usize, bytes: u64, align: u64) -> Parameter {
    let scalar = match bytes {
        1 => Some(ScalarType::B8),
        2 => Some(ScalarType::B16),
        4 => Some(ScalarType::B32),
        8 => Some(ScalarType::B64),
        _ => None,
    };
    Parameter { name: format_smolstr!("p{index}"), bytes, align, scalar, is_pointer: false }
}

/// The parameters that accept these arguments, each aligned to its size; `None` if one is a structure, whose
/// size is unknown.
pub(super) fn of_arguments(arguments: &[Argument], address_bytes: u64) -> Option<Vec<Parameter>> {
    let parameter = |(index, argument): (usize, &Argument)| {
        let bytes = match &argument.passed {
            Passed::Buffer(_) | Passed::Alias(_) | Passed::Multimem(_) => address_bytes,
            Passed::Scalar(kind, _) => kind.bytes() as u64,
            Passed::Bytes(bytes) => bytes.len() as u64,
            Passed::TensorMap(_) => BYTES as u64,
            Passed::Fields(_) => return None,
        };
        let align = match &argument.passed {
            Passed::TensorMap(_) => 64,
            _ if bytes.is_power_of_two() && bytes <= 8 => bytes,
            _ => 8,
        };
        Some(parameter(index, bytes, align))
    };
    arguments.iter().enumerate().map(parameter).collect()
}

/// The offsets and sizes of the parameters that a function without notes reads. It did not read the bytes
/// between them.
fn read(function: &Function, facts: &Facts, target: Target, address_bytes: u64) -> Vec<(u64, u64)> {
    let base = i64::from(target.launch_constants().params);
    let mut words: BTreeMap<u64, u64> = BTreeMap::new();
    for instruction in &function.instructions {
        let operands = function.operands(instruction);
        let is_wide = |operand: &Operand| {
            let loads = matches!(instruction.opcode.as_str(), "LDC" | "ULDC" | "LDCU" | "UMOV" | "MOV");
            let pair = function.has_modifier(instruction, "WIDE") && operands.last() == Some(operand)
                || instruction.opcode.starts_with('D') && instruction.opcode != "DEPBAR";
            loads && (function.has_modifier(instruction, "64") || function.has_modifier(instruction, "128"))
                || pair
        };
        for operand in operands {
            let Value::Constant(constant) = &operand.value else { continue };
            let offset = constant.offset.saturating_sub(base);
            let is_place = (0..i64::from(BANK_BYTES)).contains(&offset);
            if constant.bank != Some(0) || constant.register.is_some_and(|it| !it.is_constant()) || !is_place
            {
                continue;
            }
            let quad = function.has_modifier(instruction, "128");
            let bytes = if quad {
                16
            } else if is_wide(operand) {
                8
            } else {
                4
            };
            for part in (0..bytes).step_by(8) {
                let known = words.entry(offset as u64 + part).or_insert(0);
                *known = (*known).max((bytes - part).min(8));
            }
        }
    }
    join(words, facts.parameter_bytes.map(u64::from), address_bytes)
}

/// Joins the two words of addresses, and fills the gaps.
fn join(words: BTreeMap<u64, u64>, all: Option<u64>, address_bytes: u64) -> Vec<(u64, u64)> {
    let mut places = Vec::new();
    let mut end = 0u64;
    let gap = |from: u64, to: u64, places: &mut Vec<(u64, u64)>| {
        let mut at = from;
        while at < to {
            let bytes = if at.is_multiple_of(8) && at + 8 <= to { 8 } else { 4 };
            places.push((at, bytes));
            at += bytes;
        }
    };
    for (&at, &bytes) in &words {
        if at < end || at % 4 != 0 {
            continue;
        }
        gap(end, at, &mut places);
        let is_pair =
            bytes == 8 || address_bytes == 8 && at.is_multiple_of(8) && words.contains_key(&(at + 4));
        let bytes = if is_pair { 8 } else { 4 };
        places.push((at, bytes));
        end = at + bytes;
    }
    if let Some(all) = all {
        gap(end, all, &mut places);
    }
    places
}
