//! Which parameters of a PTX entry are addresses, and of what: their values are followed through the body and into calls.

mod flow;

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, Linkage, Operand, Resolution, Space, SymbolKind, Type};

use self::flow::{Origins, node_of, origins};
use super::scalar::ScalarKind;

/// What the body of an entry tells about its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// How the memory behind each parameter is used, for those whose value reaches an address.
    pub accesses: Vec<Option<Access>>,
    /// Whether an `.extern .shared` array is used.
    pub dynamic_shared: bool,
}

/// How memory behind a parameter is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The elements that are first loaded, or stored where none is loaded.
    pub element: ScalarKind,
    /// Whether anything is loaded.
    pub loaded: bool,
}

impl Body {
    /// Reads the body of an entry, the first of `functions`; the others are those that it can reach. Whether a name that
    /// they use is an `.extern .shared` array their module knows.
    pub fn of_ptx(functions: &[&Function], is_dynamic_shared: &dyn Fn(&str) -> bool) -> Body {
        let accesses = accesses(functions).into_iter().next().unwrap_or_default();
        let uses_dynamic = |function: &&Function| {
            declares_dynamic_shared(function) || function.externals().any(|(_, name)| is_dynamic_shared(name))
        };
        Body { accesses, dynamic_shared: functions.iter().any(uses_dynamic) }
    }
}

fn declares_dynamic_shared(function: &Function) -> bool {
    function.symbols().iter().any(|symbol| match &symbol.kind {
        SymbolKind::Variable(variable) => {
            variable.space == Space::Shared && variable.linkage == Some(Linkage::Extern)
        }
        _ => false,
    })
}

type Accesses = Vec<Option<Access>>;

/// The accesses behind the parameters of each function. What a callee does with an argument its caller does too.
fn accesses(functions: &[&Function]) -> Vec<Accesses> {
    let index = |name: &str| functions.iter().position(|function| function.name.as_deref() == Some(name));
    let mut accesses = Vec::with_capacity(functions.len());
    let mut passed = Vec::new();
    for (caller, function) in functions.iter().enumerate() {
        let origins = origins(function);
        accesses.push(direct_accesses(function, &origins));
        for call in function.instructions().filter(|instruction| instruction.opcode() == "call") {
            let Some((callee, arguments)) = call_of(function, call) else { continue };
            let Some(callee) = index(callee) else { continue };
            for (argument, operand) in arguments.iter().enumerate() {
                let params = node_of(function, *operand).and_then(|node| origins.get(&node));
                let params = params.into_iter().flatten();
                passed.extend(params.map(|param| Passed { caller, param: *param, callee, argument }));
            }
        }
    }
    loop {
        let mut grew = false;
        for pass in &passed {
            let access = accesses[pass.callee].get(pass.argument).copied().flatten();
            grew |= access.is_some_and(|access| note(&mut accesses[pass.caller][pass.param], access));
        }
        if !grew {
            return accesses;
        }
    }
}

/// A parameter of the caller that goes into one of the callee.
struct Passed {
    caller: usize,
    param: usize,
    callee: usize,
    argument: usize,
}

fn direct_accesses(function: &Function, origins: &FxHashMap<usize, Origins>) -> Accesses {
    let mut accesses: Accesses = vec![None; function.signature.params.len()];
    for instruction in function.instructions() {
        let Some((position, loaded)) = accessed_operand(instruction) else { continue };
        let operand = instruction.operands().get(position);
        let Some(address) = operand.and_then(|operand| function.address(*operand)) else { continue };
        // A symbol is a variable itself, not memory behind a value.
        let Operand::Register { .. } = address.base else { continue };
        let Some(register) = node_of(function, address.base) else { continue };
        let access = Access { element: element_of(instruction), loaded };
        for param in origins.get(&register).into_iter().flatten() {
            note(&mut accesses[*param], access);
        }
    }
    accesses
}

/// Notes an access; the first load decides over all stores. Whether anything new was learnt.
fn note(known: &mut Option<Access>, access: Access) -> bool {
    let new = known.is_none_or(|known| access.loaded && !known.loaded);
    if new {
        *known = Some(access);
    }
    new
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

/// Which operand of a memory instruction is an address that a buffer may have, and whether what lies there is loaded for
/// its own sake. What an atomic finds counts as stored: counters start at zero.
fn accessed_operand(instruction: Instruction<'_>) -> Option<(usize, bool)> {
    const ELSEWHERE: [&str; 6] = ["shared", "shared::cta", "shared::cluster", "local", "const", "param"];
    let elsewhere = ELSEWHERE.iter().any(|space| instruction.has(space));
    match instruction.opcode() {
        // From global to shared memory.
        "cp" => Some((1, true)),
        _ if elsewhere => None,
        "ld" | "ldu" => Some((1, true)),
        "wmma" if instruction.has("load") => Some((1, true)),
        "atom" => Some((1, false)),
        "st" | "red" | "prefetch" | "prefetchu" => Some((0, false)),
        "wmma" if instruction.has("store") => Some((0, false)),
        _ => None,
    }
}

/// The elements that a memory instruction moves: its last type word that a buffer can have.
fn element_of(instruction: Instruction<'_>) -> ScalarKind {
    let types = instruction.modifiers().iter().rev().filter_map(|word| Type::from_name(word));
    types.map(element).next().unwrap_or(ScalarKind::B32)
}

fn element(ty: Type) -> ScalarKind {
    match (ty, ty.bytes()) {
        (Type::F16x2, _) => ScalarKind::F16,
        (Type::Bf16x2, _) => ScalarKind::Bf16,
        (_, bytes) => ScalarKind::from_name(ty.name()).unwrap_or(match bytes {
            0 | 1 => ScalarKind::B8,
            2 => ScalarKind::B16,
            3 | 4 => ScalarKind::B32,
            _ => ScalarKind::B64,
        }),
    }
}

#[cfg(test)]
mod tests;
