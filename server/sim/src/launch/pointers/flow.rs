//! Where the values of parameters go inside one function.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, Operand, Resolution, SymbolKind};

/// Parameters by number, sorted.
pub(super) type Origins = Vec<usize>;

/// For each register and variable, by referent: the parameters whose values may be in it, from `ld.param` through what
/// keeps an address an address, to a fixed point.
pub(super) fn origins(entry: &Function) -> FxHashMap<usize, Origins> {
    let mut origins: FxHashMap<usize, Origins> = FxHashMap::default();
    let flows: Vec<_> = entry.instructions().flat_map(|instruction| flows(entry, instruction)).collect();
    loop {
        let mut grew = false;
        for flow in &flows {
            let incoming: Origins = match flow.from {
                From::Param(index) => vec![index],
                From::Node(register) => origins.get(&register).cloned().unwrap_or_default(),
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
    Node(usize),
}

fn flows(entry: &Function, instruction: Instruction<'_>) -> Vec<Flow> {
    let operands = instruction.operands();
    let Some((destination, sources)) = operands.split_first() else { return Vec::new() };
    let register = |operand: &Operand| node_of(entry, *operand);
    let take: &[usize] = match instruction.opcode() {
        "ld" if instruction.has("param") => return loads_of_params(entry, *destination, sources),
        "st" if instruction.has("param") => return stores_of_arguments(entry, *destination, sources),
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

/// `ld.param.u64 %rd1, [p]`: only whole parameters are followed, not the fields of structures.
fn loads_of_params(entry: &Function, destination: Operand, sources: &[Operand]) -> Vec<Flow> {
    let param = sources.first().and_then(|operand| entry.address(*operand)).and_then(|address| {
        let index = param_of(entry, address.base)?;
        (address.offset == 0 && address.index.is_none()).then_some(index)
    });
    match (param, node_of(entry, destination)) {
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

/// `st.param.b64 [param0], %rd1`: an argument on its way into a call.
fn stores_of_arguments(entry: &Function, destination: Operand, sources: &[Operand]) -> Vec<Flow> {
    let whole = entry.address(destination).filter(|address| address.offset == 0 && address.index.is_none());
    let to = whole.and_then(|address| node_of(entry, address.base));
    match (sources.first().and_then(|source| node_of(entry, *source)), to) {
        (Some(from), Some(to)) => vec![Flow { from: From::Node(from), to }],
        _ => Vec::new(),
    }
}

/// The number of a plain register or variable.
pub(super) fn node_of(entry: &Function, operand: Operand) -> Option<usize> {
    match operand {
        Operand::Register { name, component: None } | Operand::Symbol(name) => {
            Some(entry.name(name).referent.index())
        }
        _ => None,
    }
}
