//! How the values of parameters flow inside one function.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, Linkage, Operand, Resolution, Space, SymbolKind, Type};

use super::nodes::{Flow, From, node_of};
use super::slots::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// Loaded from this byte of the parameter with this index.
    Param(usize, u64),
    Address(usize),
    /// An address in the shared memory whose size the launch decides.
    Dynamic,
}

/// Whether the symbol is an array in shared memory whose size the launch decides.
pub(super) fn is_dynamic_array(kind: &SymbolKind) -> bool {
    match kind {
        SymbolKind::Variable(variable) => {
            variable.space == Space::Shared && variable.linkage == Some(Linkage::Extern)
        }
        _ => false,
    }
}

/// Sorted.
pub(super) type Origins = Vec<Origin>;

/// For each register and variable, by referent: the origins of the values that it may hold. Origins start at `ld.param` and
/// are propagated through instructions that preserve addresses, up to a fixed point. `is_dynamic` tells which names are
/// arrays that the launch sizes.
pub(super) fn origins(entry: &Function, is_dynamic: &dyn Fn(&str) -> bool) -> FxHashMap<usize, Origins> {
    let mut origins: FxHashMap<usize, Origins> = FxHashMap::default();
    for name in entry.names() {
        let dynamic = match name.resolution {
            Resolution::Symbol(symbol) => is_dynamic_array(&entry.symbol(symbol).kind),
            Resolution::External(text) => is_dynamic(text),
            _ => false,
        };
        if dynamic {
            origins.insert(name.referent.index(), vec![Origin::Dynamic]);
        }
        if let Resolution::Symbol(symbol) = name.resolution
            && let SymbolKind::Param { is_return: false, index } = entry.symbol(symbol).kind
        {
            origins.insert(name.referent.index(), vec![Origin::Address(index as usize)]);
        }
    }
    let mut slots = Slots::new(entry);
    let flows: Vec<_> =
        entry.instructions().flat_map(|instruction| flows(entry, instruction, &mut slots)).collect();
    loop {
        let mut grew = false;
        for flow in &flows {
            let incoming: Origins = match flow.from {
                From::Param(index, at) => vec![Origin::Param(index, at)],
                From::Node(register) => origins.get(&register).cloned().unwrap_or_default(),
            };
            if incoming.is_empty() {
                continue;
            }
            let into = origins.entry(flow.to).or_default();
            for origin in incoming {
                if let Err(at) = into.binary_search(&origin) {
                    into.insert(at, origin);
                    grew = true;
                }
            }
        }
        if !grew {
            return origins;
        }
    }
}

fn flows(entry: &Function, instruction: Instruction<'_>, slots: &mut Slots) -> Vec<Flow> {
    let operands = instruction.operands();
    let Some((destination, sources)) = operands.split_first() else { return Vec::new() };
    let register = |operand: &Operand| node_of(entry, *operand);
    let take: &[usize] = match instruction.opcode() {
        "ld" if instruction.has("param") => {
            let loads = param_loads(entry, instruction).into_iter();
            let flow = |load: ParamLoad| Some(Flow { from: From::Param(load.param, load.at), to: load.to? });
            return loads.filter_map(flow).collect();
        }
        "st" if instruction.has("param") => return stores_of_arguments(entry, *destination, sources),
        "ld" | "st" => return slots.flow(entry, instruction).into_iter().collect(),
        "mov" | "cvta" => &[0],
        "sub" => &[0],
        "add" | "selp" => &[0, 1],
        "mad" => &[2],
        _ => return Vec::new(),
    };
    let Some(to) = register(destination) else { return Vec::new() };
    let sources = take.iter().filter_map(|at| sources.get(*at).and_then(register));
    sources.map(|from| Flow { from: From::Node(from), to }).collect()
}

#[derive(Clone, Copy)]
pub(super) struct ParamLoad {
    pub(super) param: usize,
    pub(super) at: u64,
    pub(super) ty: Type,
    to: Option<usize>,
}

/// The values that `ld.param` loads: `ld.param.v2.u64 {%rd1, %rd2}, [p+8]` loads two.
pub(super) fn param_loads(entry: &Function, instruction: Instruction<'_>) -> Vec<ParamLoad> {
    let ty = instruction.modifiers().iter().rev().find_map(|word| Type::from_name(word));
    let (&[destination, source], Some(ty)) = (instruction.operands(), ty) else { return Vec::new() };
    let Some(address) = entry.address(source).filter(|address| address.index.is_none()) else {
        return Vec::new();
    };
    let (Some(param), Ok(at)) = (param_of(entry, address.base), u64::try_from(address.offset)) else {
        return Vec::new();
    };
    let one = [destination];
    let registers = match destination {
        Operand::Vector(list) => entry.operands(list),
        _ => &one,
    };
    let bytes = u64::from(ty.bytes());
    let load = |(index, register): (usize, &Operand)| ParamLoad {
        param,
        at: at + index as u64 * bytes,
        ty,
        to: node_of(entry, *register),
    };
    registers.iter().enumerate().map(load).collect()
}

pub(super) fn param_of(entry: &Function, operand: Operand) -> Option<usize> {
    let Operand::Symbol(name) = operand else { return None };
    let Resolution::Symbol(symbol) = entry.name(name).resolution else { return None };
    match entry.symbol(symbol).kind {
        SymbolKind::Param { is_return: false, index } => Some(index as usize),
        _ => None,
    }
}

/// `st.param.b64 [param0], %rd1`: stores an argument for a call.
fn stores_of_arguments(entry: &Function, destination: Operand, sources: &[Operand]) -> Vec<Flow> {
    let whole = entry.address(destination).filter(|address| address.offset == 0 && address.index.is_none());
    let to = whole.and_then(|address| node_of(entry, address.base));
    match (sources.first().and_then(|source| node_of(entry, *source)), to) {
        (Some(from), Some(to)) => vec![Flow { from: From::Node(from), to }],
        _ => Vec::new(),
    }
}
