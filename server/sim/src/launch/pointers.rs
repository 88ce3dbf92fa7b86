//! Which parameters of a PTX entry are addresses, and of what: their values are followed through the body.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{
    self, Function, Instruction, Operand, Resolution, Role, Space, SymbolKind, Type, TypeKind,
};

use super::kernel::{Guess, Kernel, KernelKind, Parameter, PtxKernel};
use super::scalar::ScalarKind;

impl Kernel {
    /// The outside of a PTX entry; `address_bytes` and whether a name is an `.extern .shared` array come from its module.
    /// `None` for a function that no launch can name.
    pub fn of_ptx(
        entry: &Function,
        address_bytes: u64,
        is_dynamic_shared: &dyn Fn(&str) -> bool,
    ) -> Option<Kernel> {
        let name = entry.name.clone().filter(|_| entry.kind == ptx::FunctionKind::Entry)?;
        let uses = Uses::of(entry);
        let params = entry.signature.params.iter().enumerate();
        let dimensions = |directive| entry.signature.dimensions(directive).map(|sizes| sizes.map(narrow));
        let declares_dynamic = entry.symbols().iter().any(|symbol| match &symbol.kind {
            SymbolKind::Variable(variable) => {
                variable.space == Space::Shared && variable.linkage == Some(ptx::Linkage::Extern)
            }
            _ => false,
        });
        let kernel = PtxKernel {
            params: params
                .map(|(index, param)| parameter(param, uses.of_param(index), address_bytes))
                .collect(),
            required_block: dimensions("reqntid"),
            largest_block: dimensions("maxntid"),
            required_cluster: dimensions("reqnctapercluster"),
            dynamic_shared: declares_dynamic || entry.externals().any(|(_, name)| is_dynamic_shared(name)),
            address_bytes,
        };
        Some(Kernel { name, kind: KernelKind::Ptx(kernel) })
    }
}

fn narrow(size: u64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn parameter(param: &ptx::Parameter, seen: Option<Access>, address_bytes: u64) -> Parameter {
    let is_scalar = param.dimensions.is_empty() && param.vector.is_none();
    let scalar = param.ty.filter(|_| is_scalar).and_then(|ty| ScalarKind::from_name(ty.name()));
    let bytes = param.bytes();
    let may_point = bytes == address_bytes
        && scalar.is_some_and(|kind| param.ty.is_some_and(is_integer) && kind.bytes() > 1);
    let guess = match (seen, scalar) {
        (Some(access), _) if may_point => Guess::Buffer { element: access.element, loaded: access.loaded },
        _ if param.pointer.is_some() && may_point => {
            Guess::Buffer { element: ScalarKind::B32, loaded: false }
        }
        (_, Some(ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F16 | ScalarKind::Bf16)) => Guess::One,
        (_, Some(_)) => Guess::Threads,
        (_, None) => Guess::Nothing,
    };
    let name = param.name.clone().unwrap_or_default();
    Parameter { name, bytes, align: param.alignment(), scalar, guess }
}

fn is_integer(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits)
}

/// How memory behind a parameter is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Access {
    element: ScalarKind,
    loaded: bool,
}

/// The parameters whose values may be in each register, and how the memory behind each is used.
#[derive(Default)]
struct Uses {
    accesses: FxHashMap<usize, Access>,
}

/// Parameters by number, sorted.
type Origins = Vec<usize>;

impl Uses {
    fn of_param(&self, index: usize) -> Option<Access> {
        self.accesses.get(&index).copied()
    }

    fn of(entry: &Function) -> Uses {
        let origins = origins(entry);
        let mut uses = Uses::default();
        for instruction in entry.instructions() {
            let Some((position, loads)) = accessed_operand(instruction.opcode()) else { continue };
            let Some(address) =
                instruction.operands().get(position).and_then(|operand| entry.address(*operand))
            else {
                continue;
            };
            let Some(register) = register_of(entry, address.base) else { continue };
            let element = element_of(instruction);
            for param in origins.get(&register).into_iter().flatten() {
                uses.note(*param, Access { element, loaded: loads });
            }
        }
        uses
    }

    /// The first load decides over all stores.
    fn note(&mut self, param: usize, access: Access) {
        let known = self.accesses.entry(param).or_insert(access);
        if access.loaded && !known.loaded {
            *known = access;
        }
    }
}

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
        Operand::Register { name, component: None } => {
            let name = entry.name(name);
            (name.role != Role::Declaration).then(|| name.referent.index())
        }
        _ => None,
    }
}
