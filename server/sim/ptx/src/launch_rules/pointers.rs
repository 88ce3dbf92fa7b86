//! Which parameters of a PTX entry are addresses, and of what. The parameters' values are followed through registers, memory
//! and calls.

mod constants;
mod flow;
mod maps;
mod numbers;
mod pending;
mod places;
mod values;

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Component, Function, Instruction, Operand, Type};
use warplens_sim_launch::body::{Access, Body, EmptySlot, Part, TableSize};
use warplens_sim_warp::scalar_type::ScalarType;

use self::flow::{Bodies, is_dynamic_array};
use self::numbers::{compared, exponents};
use self::places::{Address, Object};
use super::shape::{reads_axis, reads_row};
use crate::decode::{distinguishes_threads, is_workspace};

/// Analyzes an entry, the first of `functions`; the others are those that it can reach. `is_dynamic_shared` tells whether a
/// name is an `.extern .shared` array of the module.
pub fn body(functions: &[&Function], is_dynamic_shared: &dyn Fn(&str) -> bool) -> Body {
    let Some(entry) = functions.first() else { return Body::default() };
    let bodies = Bodies::new(functions, is_dynamic_shared);
    let uses_dynamic = |function: &&Function| {
        function.symbols().iter().any(|symbol| is_dynamic_array(&symbol.kind))
            || function.externals().any(|(_, name)| is_dynamic_shared(name))
    };
    let is_cooperative = functions.iter().any(|function| {
        function.special_registers().any(|register| is_workspace(&function.referent_text(register)))
    });
    Body {
        params: parts(entry, &bodies),
        maps: maps::maps(&bodies),
        dynamic_shared: functions.iter().any(uses_dynamic).then(|| dynamic_reach(&bodies)),
        is_cooperative,
        has_rows: functions.iter().any(|function| reads_row(function)),
        block_axes: [Component::X, Component::Y, Component::Z]
            .map(|axis| functions.iter().any(|function| reads_axis(function, "%ctaid", axis))),
        has_warps: functions.iter().any(|function| has_warps(function)),
        is_single: !functions.iter().any(|function| has_several_threads(function)),
    }
}

/// Instructions that several threads execute together.
const COLLECTIVES: [&str; 8] = ["activemask", "bar", "barrier", "elect", "match", "redux", "shfl", "vote"];

/// Whether a function is written for several threads of a block: it reads a thread's index, or its threads execute
/// instructions together.
fn has_several_threads(function: &Function) -> bool {
    function.special_registers().any(|register| distinguishes_threads(&function.referent_text(register)))
        || function.instructions().any(|instruction| COLLECTIVES.contains(&instruction.opcode()))
}

/// Bits of a lane in the number of a thread.
const LANE_BITS: u64 = 5;

/// Whether a function accesses shared memory, waits at a barrier of its block, or computes the number of its warp.
fn has_warps(function: &Function) -> bool {
    function.instructions().any(|it| {
        let is_shared = ["shared", "shared::cta", "shared::cluster"].iter().any(|space| it.has(space));
        let is_barrier = matches!(it.opcode(), "bar" | "barrier") && !it.has("warp");
        let numbers_warps = it.opcode() == "shr"
            && it.operands().last().and_then(|bits| function.integer(*bits)) == Some(LANE_BITS);
        is_shared || is_barrier || numbers_warps
    })
}

/// The largest constant that is added to an address in dynamic shared memory.
fn dynamic_reach(bodies: &Bodies<'_>) -> u64 {
    let mut reach = 0;
    for (number, function, instruction) in bodies.instructions() {
        let is_dynamic =
            |operand| bodies.held(number, operand).iter().any(|address| address.object == Object::Dynamic);
        let operands = instruction.operands();
        if let ("add", &[_, a, Operand::Constant(b)]) = (instruction.opcode(), operands)
            && is_dynamic(a)
        {
            let added = function.constant(b).as_integer().filter(|added| *added <= u32::MAX.into());
            reach = reach.max(added.unwrap_or(0));
        }
        for address in operands.iter().filter_map(|operand| function.address(*operand)) {
            if is_dynamic(address.base) {
                reach = reach.max(u64::try_from(address.offset).unwrap_or(0));
            }
        }
    }
    reach
}

/// By parameter and byte.
type ByParam<T> = FxHashMap<(usize, u64), T>;

/// The numbers that a kernel loads from the entry's parameters.
fn parts(entry: &Function, bodies: &Bodies<'_>) -> Vec<Vec<Part>> {
    let (accesses, tables) = (accesses(bodies), tables(bodies));
    let (compared, exponents) = (compared(bodies), exponents(bodies));
    let mut params: Vec<Vec<Part>> = vec![Vec::new(); entry.signature.params.len()];
    let loads = bodies.instructions().flat_map(|(number, _, it)| bodies.param_loads(number, it));
    for load in loads {
        let Some(parts) = params.get_mut(load.param) else { continue };
        let kind = element(load.ty);
        let end = load.at + kind.bytes() as u64;
        if parts.iter().any(|part| part.at < end && load.at < part.at + part.kind.bytes() as u64) {
            continue;
        }
        let from = (load.param, load.at);
        let (access, table) = (accesses.get(&from).copied(), tables.get(&from).copied());
        let (is_compared, is_exponent) = (compared.contains(&from), exponents.contains(&from));
        parts.push(Part { at: load.at, kind, access, table, is_compared, is_exponent });
        parts.sort_by_key(|part| part.at);
    }
    params
}

/// The accesses to the memory that parameters point to.
fn accesses(bodies: &Bodies<'_>) -> ByParam<Access> {
    let mut accesses = ByParam::default();
    for (number, function, instruction) in bodies.instructions() {
        let Some((position, loaded)) = accessed_operand(instruction) else { continue };
        let operand = instruction.operands().get(position);
        let Some(address) = operand.and_then(|operand| function.address(*operand)) else { continue };
        let access = Access {
            element: element_of(instruction),
            loaded,
            stored: !loaded && !instruction.opcode().starts_with("prefetch"),
            multimem: instruction.opcode() == "multimem",
            empty: empty_slot(bodies, number, instruction),
        };
        for base in bodies.held(number, address.base) {
            if let Object::Pointee(param, at) = base.object {
                note(&mut accesses, (param, at), access);
            }
        }
    }
    accesses
}

/// The numbers with which indexes are masked: `and` of a register that is no constant.
fn tables(bodies: &Bodies<'_>) -> ByParam<TableSize> {
    let mut tables = ByParam::default();
    for (number, _, instruction) in bodies.instructions() {
        let ("and", &[_, a, b]) = (instruction.opcode(), instruction.operands()) else { continue };
        for (mask, index) in [(a, b), (b, a)] {
            let size = |value: &Address| match (value.object, value.offset) {
                (Object::Pointee(param, at), Some(0)) => Some(((param, at), TableSize::Mask)),
                (Object::Pointee(param, at), Some(-1)) => Some(((param, at), TableSize::Slots)),
                _ => None,
            };
            if bodies.constant(number, index).is_some() {
                continue;
            }
            for (from, size) in bodies.held(number, mask).iter().filter_map(size) {
                // A register that is updated holds both: the argument, and one less.
                if tables.get(&from) != Some(&TableSize::Slots) {
                    tables.insert(from, size);
                }
            }
        }
    }
    tables
}

/// Records an access; the first load overrides all stores.
fn note(known: &mut ByParam<Access>, from: (usize, u64), access: Access) {
    known.entry(from).and_modify(|before| *before = before.join(access)).or_insert(access);
}

/// The constant with which an `atom.cas` compares memory.
fn empty_slot(bodies: &Bodies<'_>, function: usize, instruction: Instruction<'_>) -> Option<EmptySlot> {
    if instruction.opcode() != "atom" || !instruction.has("cas") {
        return None;
    }
    let bits = bodies.constant(function, *instruction.operands().get(2)?)?;
    let bytes = element_of(instruction).bytes() as u64;
    Some(EmptySlot { bits: bits & u64::MAX >> (64 - 8 * bytes.clamp(1, 8)), bytes })
}

/// Which operand of a memory instruction is an address that a buffer may have, and whether the buffer's contents are input.
/// An atomic counts as a store, because counters start at zero.
fn accessed_operand(instruction: Instruction<'_>) -> Option<(usize, bool)> {
    const ELSEWHERE: [&str; 6] = ["shared", "shared::cta", "shared::cluster", "local", "const", "param"];
    let elsewhere = ELSEWHERE.iter().any(|space| instruction.has(space));
    match instruction.opcode() {
        "cp" => Some(copied_operand(instruction)),
        _ if elsewhere => None,
        "ld" | "ldu" => Some((1, true)),
        "wmma" if instruction.has("load") => Some((1, true)),
        "multimem" if instruction.has("ld_reduce") => Some((1, true)),
        "multimem" if instruction.has("cp") => Some((0, false)),
        "atom" => Some((1, false)),
        "st" | "red" | "multimem" | "prefetch" | "prefetchu" => Some((0, false)),
        "wmma" if instruction.has("store") => Some((0, false)),
        _ => None,
    }
}

/// The operand of a copy that is in global memory: the destination if its space is named first, otherwise the source.
fn copied_operand(instruction: Instruction<'_>) -> (usize, bool) {
    let spaces = ["global", "shared", "shared::cta", "shared::cluster"];
    let mut named = instruction.modifiers().iter().filter(|word| spaces.contains(&word.as_ref()));
    match named.next().is_some_and(|first| first == "global") {
        true => (0, instruction.has("prefetch")),
        false => (1, true),
    }
}

/// The elements that a memory instruction moves: its last type modifier that a buffer can have.
fn element_of(instruction: Instruction<'_>) -> ScalarType {
    let types = instruction.modifiers().iter().rev().filter_map(|word| Type::from_name(word));
    types.map(element).next().unwrap_or(ScalarType::B32)
}

fn element(ty: Type) -> ScalarType {
    match (ty, ty.bytes()) {
        (Type::F16x2, _) => ScalarType::F16,
        (Type::Bf16x2, _) => ScalarType::Bf16,
        (_, bytes) => ScalarType::of_launches(ty.name()).unwrap_or(match bytes {
            0 | 1 => ScalarType::B8,
            2 => ScalarType::B16,
            3 | 4 => ScalarType::B32,
            _ => ScalarType::B64,
        }),
    }
}

#[cfg(test)]
mod tests;
