//! Which parameters of a PTX entry are addresses, and of what: their values are followed through the body.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, Linkage, Operand, Resolution, Space, SymbolKind, Type};

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
    /// Reads the body of `entry`. Whether a name that it uses is an `.extern .shared` array its module knows.
    pub fn of_ptx(entry: &Function, is_dynamic_shared: &dyn Fn(&str) -> bool) -> Body {
        let declares = entry.symbols().iter().any(|symbol| match &symbol.kind {
            SymbolKind::Variable(variable) => {
                variable.space == Space::Shared && variable.linkage == Some(Linkage::Extern)
            }
            _ => false,
        });
        Body {
            accesses: accesses(entry),
            dynamic_shared: declares || entry.externals().any(|(_, name)| is_dynamic_shared(name)),
        }
    }
}

fn accesses(entry: &Function) -> Vec<Option<Access>> {
    let origins = origins(entry);
    let mut accesses: Vec<Option<Access>> = vec![None; entry.signature.params.len()];
    for instruction in entry.instructions() {
        let Some((position, loaded)) = accessed_operand(instruction.opcode()) else { continue };
        let operand = instruction.operands().get(position);
        let Some(address) = operand.and_then(|operand| entry.address(*operand)) else { continue };
        let Some(register) = register_of(entry, address.base) else { continue };
        let access = Access { element: element_of(instruction), loaded };
        for param in origins.get(&register).into_iter().flatten() {
            let known = accesses[*param].get_or_insert(access);
            // The first load decides over all stores.
            if access.loaded && !known.loaded {
                *known = access;
            }
        }
    }
    accesses
}

/// Parameters by number, sorted.
type Origins = Vec<usize>;

/// Which operand of a memory instruction is the address, and whether what lies there is loaded for its own sake. What an
/// atomic finds counts as stored: counters start at zero.
fn accessed_operand(opcode: &str) -> Option<(usize, bool)> {
    match opcode {
        "ld" | "ldu" | "ldmatrix" => Some((1, true)),
        "st" | "red" | "prefetch" | "prefetchu" | "stmatrix" => Some((0, false)),
        "atom" => Some((1, false)),
        "cp" => Some((1, true)),
        "wmma" => Some((1, true)),
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

/// Follows parameters from `ld.param` through what keeps an address an address, to a fixed point.
fn origins(entry: &Function) -> FxHashMap<usize, Origins> {
    let mut origins: FxHashMap<usize, Origins> = FxHashMap::default();
    let flows: Vec<_> = entry.instructions().flat_map(|instruction| flows(entry, instruction)).collect();
    loop {
        let mut grew = false;
        for flow in &flows {
            let incoming: Origins = match flow.from {
                From::Param(index) => vec![index],
                From::Register(register) => origins.get(&register).cloned().unwrap_or_default(),
            };
            if incoming.is_empty() {
                continue;
            }
            let into = origins.entry(flow.to).or_default();
            for param in incoming {
                if let Err(at) = into.binary_search(&param) {
                    into.insert(at, param);
                    grew = true;
                }
            }
        }
        if !grew {
            return origins;
        }
    }
}

/// A value that goes into a register.
struct Flow {
    from: From,
    to: usize,
}

#[derive(Clone, Copy)]
enum From {
    Param(usize),
    Register(usize),
}

fn flows(entry: &Function, instruction: Instruction<'_>) -> Vec<Flow> {
    let operands = instruction.operands();
    let Some((destination, sources)) = operands.split_first() else { return Vec::new() };
    let register = |operand: &Operand| register_of(entry, *operand);
    let take: &[usize] = match instruction.opcode() {
        "ld" if instruction.has("param") => return loads_of_params(entry, *destination, sources),
        "mov" | "cvta" => &[0],
        "sub" => &[0],
        "add" | "selp" => &[0, 1],
        "mad" => &[2],
        _ => return Vec::new(),
    };
    let Some(to) = register(destination) else { return Vec::new() };
    let sources = take.iter().filter_map(|at| sources.get(*at).and_then(register));
    sources.map(|from| Flow { from: From::Register(from), to }).collect()
}

/// `ld.param.u64 %rd1, [p]`: only whole parameters are followed, not the fields of structures.
fn loads_of_params(entry: &Function, destination: Operand, sources: &[Operand]) -> Vec<Flow> {
    let param = sources.first().and_then(|operand| entry.address(*operand)).and_then(|address| {
        let index = param_of(entry, address.base)?;
        (address.offset == 0 && address.index.is_none()).then_some(index)
    });
    match (param, register_of(entry, destination)) {
        (Some(param), Some(to)) => vec![Flow { from: From::Param(param), to }],
        _ => Vec::new(),
    }
}

fn param_of(entry: &Function, operand: Operand) -> Option<usize> {
    let Operand::Symbol(name) = operand else { return None };
    let Resolution::Symbol(symbol) = entry.name(name).resolution else { return None };
    match entry.symbol(symbol).kind {
        SymbolKind::Param { is_return: false, index } => Some(index as usize),
        _ => None,
    }
}

/// The number of a plain register operand.
fn register_of(entry: &Function, operand: Operand) -> Option<usize> {
    match operand {
        Operand::Register { name, component: None } => Some(entry.name(name).referent.index()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
