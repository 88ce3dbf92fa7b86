//! Which parameters of a PTX entry are addresses, and of what. The parameters' values are followed through the body and into
//! calls.

mod compared;
mod flow;
mod maps;
mod nodes;
mod slots;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::{Component, Function, Instruction, Operand, Resolution, Type};
use warplens_sim_launch::body::{Access, Body, EmptySlot, Part};
use warplens_sim_warp::scalar_type::ScalarType;

use self::compared::compared;
use self::flow::{Origin, Origins, is_dynamic_array, origins, param_loads};
use self::nodes::node_of;
use super::shape::{reads_axis, reads_row};
use crate::decode::{distinguishes_threads, is_workspace};

/// Analyzes an entry, the first of `functions`; the others are those that it can reach. `is_dynamic_shared` tells whether a
/// name is an `.extern .shared` array of the module.
pub fn body(functions: &[&Function], is_dynamic_shared: &dyn Fn(&str) -> bool) -> Body {
    let origins: Vec<_> = functions.iter().map(|function| origins(function, is_dynamic_shared)).collect();
    let uses_dynamic = |function: &&Function| {
        function.symbols().iter().any(|symbol| is_dynamic_array(&symbol.kind))
            || function.externals().any(|(_, name)| is_dynamic_shared(name))
    };
    let reaches = functions.iter().zip(&origins).map(|(function, origins)| dynamic_reach(function, origins));
    let dynamic_shared = functions.iter().any(uses_dynamic).then(|| reaches.max().unwrap_or(0));
    let Some(entry) = functions.first() else { return Body::default() };
    let accesses = accesses(functions, &origins).into_iter().next().unwrap_or_default();
    let is_cooperative = functions.iter().any(|function| {
        function.special_registers().any(|register| is_workspace(&function.referent_text(register)))
    });
    Body {
        params: parts(
            entry,
            &accesses,
            &origins.first().map(|origins| compared(entry, origins)).unwrap_or_default(),
        ),
        maps: origins.first().map(|origins| maps::maps(entry, origins)).unwrap_or_default(),
        dynamic_shared,
        is_cooperative,
        has_rows: functions.iter().any(|function| reads_row(function)),
        block_axes: [Component::X, Component::Y, Component::Z]
            .map(|axis| functions.iter().any(|function| reads_axis(function, "%ctaid", axis))),
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

/// The largest constant that a function adds to an address in dynamic shared memory.
fn dynamic_reach(function: &Function, origins: &FxHashMap<usize, Origins>) -> u64 {
    let is_dynamic = |operand: Operand| {
        let origins = node_of(function, operand).and_then(|node| origins.get(&node));
        origins.is_some_and(|origins| origins.contains(&Origin::Dynamic))
    };
    let mut reach = 0;
    for instruction in function.instructions() {
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

/// The accesses through the parameters of a function, by parameter and byte.
type Accesses = FxHashMap<(usize, u64), Access>;

/// The numbers that an entry loads from its parameters.
fn parts(entry: &Function, accesses: &Accesses, compared: &FxHashSet<(usize, u64)>) -> Vec<Vec<Part>> {
    let mut params: Vec<Vec<Part>> = vec![Vec::new(); entry.signature.params.len()];
    let loads =
        entry.instructions().filter(|instruction| instruction.opcode() == "ld" && instruction.has("param"));
    for load in loads.flat_map(|instruction| param_loads(entry, instruction)) {
        let Some(parts) = params.get_mut(load.param) else { continue };
        let kind = element(load.ty);
        let end = load.at + kind.bytes() as u64;
        if parts.iter().any(|part| part.at < end && load.at < part.at + part.kind.bytes() as u64) {
            continue;
        }
        let place = (load.param, load.at);
        let access = accesses.get(&place).copied();
        parts.push(Part { at: load.at, kind, access, is_compared: compared.contains(&place) });
        parts.sort_by_key(|part| part.at);
    }
    params
}

/// The accesses through the parameters of each function, including the accesses in its callees.
fn accesses(functions: &[&Function], origins: &[FxHashMap<usize, Origins>]) -> Vec<Accesses> {
    let index = |name: &str| functions.iter().position(|function| function.name.as_deref() == Some(name));
    let mut accesses = Vec::with_capacity(functions.len());
    let mut passed = Vec::new();
    for (caller, (function, origins)) in functions.iter().zip(origins).enumerate() {
        accesses.push(direct_accesses(function, origins));
        for call in function.instructions().filter(|instruction| instruction.opcode() == "call") {
            let Some((callee, arguments)) = call_of(function, call) else { continue };
            let Some(callee) = index(callee) else { continue };
            for (argument, operand) in arguments.iter().enumerate() {
                let origins = node_of(function, *operand).and_then(|node| origins.get(&node));
                passed.extend(params(origins).map(|from| Passed { caller, from, callee, argument }));
            }
        }
    }
    loop {
        let mut grew = false;
        for pass in &passed {
            let access = accesses[pass.callee].get(&(pass.argument, 0)).copied();
            grew |= access.is_some_and(|access| note(&mut accesses[pass.caller], pass.from, access));
        }
        if !grew {
            return accesses;
        }
    }
}

/// A number in a parameter of the caller that is passed to a parameter of the callee.
struct Passed {
    caller: usize,
    from: (usize, u64),
    callee: usize,
    argument: usize,
}

fn params(origins: Option<&Origins>) -> impl Iterator<Item = (usize, u64)> + '_ {
    origins.into_iter().flatten().filter_map(|origin| match *origin {
        Origin::Param(param, at) => Some((param, at)),
        Origin::Address(_) | Origin::Dynamic => None,
    })
}

fn direct_accesses(function: &Function, origins: &FxHashMap<usize, Origins>) -> Accesses {
    let mut accesses = Accesses::default();
    for instruction in function.instructions() {
        let Some((position, loaded)) = accessed_operand(instruction) else { continue };
        let operand = instruction.operands().get(position);
        let Some(address) = operand.and_then(|operand| function.address(*operand)) else { continue };
        // A symbol is the variable itself, not memory that a value points to.
        let Operand::Register { .. } = address.base else { continue };
        let Some(register) = node_of(function, address.base) else { continue };
        let access =
            Access { element: element_of(instruction), loaded, empty: empty_slot(function, instruction) };
        for from in params(origins.get(&register)) {
            note(&mut accesses, from, access);
        }
    }
    accesses
}

/// Records an access; the first load overrides all stores. Returns whether that changes anything.
fn note(known: &mut Accesses, from: (usize, u64), access: Access) -> bool {
    let before = known.get(&from).copied();
    let after = before.map_or(access, |before| before.join(access));
    known.insert(from, after);
    before != Some(after)
}

/// The constant with which an `atom.cas` compares memory.
fn empty_slot(function: &Function, instruction: Instruction<'_>) -> Option<EmptySlot> {
    if instruction.opcode() != "atom" || !instruction.has("cas") {
        return None;
    }
    let bits = constant_of(function, *instruction.operands().get(2)?)?;
    let bytes = element_of(instruction).bytes() as u64;
    Some(EmptySlot { bits: bits & u64::MAX >> (64 - 8 * bytes.clamp(1, 8)), bytes })
}

/// The value of a constant, or of a register that only one `mov` of a constant writes.
fn constant_of(function: &Function, operand: Operand) -> Option<u64> {
    if let Operand::Constant(id) = operand {
        return function.constant(id).as_integer();
    }
    let register = node_of(function, operand)?;
    let writes = |it: &Instruction<'_>| {
        it.operands().first().and_then(|written| node_of(function, *written)) == Some(register)
            && !matches!(it.opcode(), "st" | "red")
    };
    let mut writers = function.instructions().filter(writes);
    match (writers.next(), writers.next()) {
        (Some(only), None) if only.opcode() == "mov" => match only.operands() {
            &[_, Operand::Constant(id)] => function.constant(id).as_integer(),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a direct call's callee, and the arguments.
fn call_of<'f>(function: &'f Function, call: Instruction<'f>) -> Option<(&'f str, &'f [Operand])> {
    let operands = call.operands();
    let at = operands.iter().position(|operand| matches!(operand, Operand::Symbol(_)))?;
    let Operand::Symbol(name) = operands[at] else { return None };
    let Resolution::External(callee) = function.name(name).resolution else { return None };
    match operands.get(at + 1) {
        Some(Operand::Arguments(arguments)) => Some((callee, function.operands(*arguments))),
        _ => None,
    }
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
        "atom" => Some((1, false)),
        "st" | "red" | "prefetch" | "prefetchu" => Some((0, false)),
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
