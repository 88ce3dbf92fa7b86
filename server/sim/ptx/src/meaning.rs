//! What register operands mean besides numbers: descriptors, and parts of matrices that are spread over a warp.

mod cells;
mod fragment;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_sim_cuda::semantics::bits::Logic;
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_cuda::tensor::describe::MatrixUse;
use warplens_sim_cuda::tensor::descriptor::DescriptorKind;
use warplens_sim_cuda::tensor_memory::instruction_descriptor::{InstructionDescriptor, ProductForm};

use self::cells::CellOperand;
use self::fragment::Fragment;
pub use self::fragment::ValuesOf;
use crate::program::{
    FactorSource, Function, Op, Program, ReadKind, RegisterSlot, TensorFactor, TensorMemoryOp, TensorOp,
    TensorProduct, WarpgroupProduct,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandMeaning {
    operand: MeantOperand,
    meaning: Meaning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MeantOperand {
    Register(SmolStr),
    Constant(u64),
    /// The statement's result: its constants then have the same meaning as the result.
    Result,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Matrix(MatrixUse, Option<DecidedBy>),
    Instruction(ProductForm),
    Fragment(Fragment),
    /// An address in tensor memory, minus this offset.
    Cells(CellOperand, u32),
    /// The address to which `tcgen05.alloc` writes an address in tensor memory.
    Allocation,
}

/// The register whose instruction descriptor determines the extent of a matrix: of A (0) or B (1).
#[derive(Clone, Debug, PartialEq, Eq)]
struct DecidedBy {
    register: SmolStr,
    form: ProductForm,
    which: usize,
}

impl OperandMeaning {
    /// The register that has this meaning, if the statement reads it.
    pub fn register(&self) -> Option<&str> {
        match &self.operand {
            MeantOperand::Register(name) => Some(name),
            MeantOperand::Constant(_) | MeantOperand::Result => None,
        }
    }

    /// Whether the map of tensor memory illustrates the operand: it is an address in tensor memory, or such an address is
    /// written there.
    pub fn is_cell_address(&self) -> bool {
        matches!(self.meaning, Meaning::Cells(..) | Meaning::Allocation)
    }

    /// Describes the register, with its value in a lane if that is known.
    pub fn text(&self, lane: usize, values: ValuesOf<'_>) -> String {
        let value = |register: &str| values(register)?.get(lane).copied();
        let register = self.register().unwrap_or_default();
        match &self.meaning {
            Meaning::Fragment(fragment) => fragment.text(register, values),
            Meaning::Instruction(form) => match value(register) {
                Some(bits) => form.describe(bits as u32),
                None => form.title(),
            },
            Meaning::Matrix(of, decided) => {
                let whole = decided.as_ref().and_then(|by| by.complete(of, value(&by.register)?));
                let of = whole.as_ref().unwrap_or(of);
                value(register).map_or_else(|| of.title(), |bits| of.describe(bits))
            }
            Meaning::Cells(of, offset) => {
                let described = |bits| of.describe_register(bits as u32, *offset);
                value(register).map_or_else(|| of.title(), described)
            }
            Meaning::Allocation => cells::ALLOCATION.to_owned(),
        }
    }

    /// Describes a constant of the statement, if the constant is an operand with a meaning or the statement passes it on to
    /// one.
    pub fn constant(&self, bits: u64) -> Option<String> {
        match self.operand {
            MeantOperand::Result => {}
            MeantOperand::Constant(own) if own == bits => {}
            MeantOperand::Constant(_) | MeantOperand::Register(_) => return None,
        }
        match &self.meaning {
            Meaning::Matrix(of, _) => Some(of.describe(bits)),
            Meaning::Instruction(form) => Some(form.describe(bits as u32)),
            Meaning::Fragment(_) | Meaning::Allocation => None,
            Meaning::Cells(of, _) => Some(of.describe(bits as u32)),
        }
    }
}

impl DecidedBy {
    /// The matrix with the extent that an instruction descriptor specifies.
    fn complete(&self, of: &MatrixUse, bits: u64) -> Option<MatrixUse> {
        let it = InstructionDescriptor::decode(bits as u32, self.form).ok()?;
        let blocks = if self.form.pair { 2 } else { 1 };
        let stored = if self.form.sparse && self.which == 0 { it.k / 2 } else { it.k };
        let lines = [it.m, it.n][self.which] / blocks;
        let extent = Some((lines, stored, it.elements[self.which].pitch));
        Some(MatrixUse { extent, transposed: Some(it.transposed[self.which]), ..of.clone() })
    }
}

/// The meanings of the register operands of all statements of a program, by statement.
pub fn meanings(program: &Program) -> Vec<Box<[OperandMeaning]>> {
    program.functions.iter().flat_map(of_function).collect()
}

fn of_function(function: &Function) -> Vec<Box<[OperandMeaning]>> {
    let name = |place: RegisterSlot| {
        let register = function.frame.registers.iter().find(|register| register.place == place)?;
        Some(register.name.clone())
    };
    let operands = |pc: usize| {
        let found = direct(function, pc, &name).into_iter();
        let found = found.filter_map(|(place, meaning)| {
            Some(OperandMeaning { operand: MeantOperand::Register(name(place)?), meaning })
        });
        found.chain(cells(function, pc, &name))
    };
    let mut all: Vec<Vec<OperandMeaning>> =
        (0..function.code.len()).map(|pc| operands(pc).collect()).collect();
    let results = sources(function, &all);
    for (pc, meanings) in all.iter_mut().enumerate() {
        let written = function.writes_of(pc as u32).iter().filter(|_| passes_on(function.code[pc].op));
        meanings.extend(written.filter_map(|number| {
            Some(OperandMeaning { operand: MeantOperand::Result, meaning: results.get(number)?.clone() })
        }));
    }
    all.into_iter().map(Vec::into_boxed_slice).collect()
}

/// Whether the operation's constants also appear in its result.
fn passes_on(op: Op) -> bool {
    matches!(
        op,
        Op::Logic(Logic::Copy | Logic::Or | Logic::Xor, _) | Op::Int(IntOp::Add, _) | Op::MoveEach(_)
    )
}

/// The registers from which descriptors and addresses are computed, by number.
fn sources(function: &Function, operands: &[Vec<OperandMeaning>]) -> FxHashMap<u32, Meaning> {
    let mut found: FxHashMap<u32, Meaning> = FxHashMap::default();
    for meaning in operands
        .iter()
        .flatten()
        .filter(|it| !matches!(it.meaning, Meaning::Fragment(_) | Meaning::Allocation))
    {
        let Some(register) = meaning.register() else { continue };
        let number = function.frame.registers.iter().position(|it| it.name == register);
        found.extend(number.map(|number| (number as u32, meaning.meaning.clone())));
    }
    loop {
        let known = found.len();
        for pc in (0..function.code.len()).rev().filter(|pc| passes_on(function.code[*pc].op)) {
            let Some(meaning) = function.writes_of(pc as u32).iter().find_map(|it| found.get(it)).cloned()
            else {
                continue;
            };
            for read in function.flow.reads_of(pc as u32).iter().filter(|read| read.part == ReadKind::Source)
            {
                found.entry(read.register).or_insert_with(|| meaning.clone());
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

type Name<'n> = &'n dyn Fn(RegisterSlot) -> Option<SmolStr>;

/// The statement's registers that are descriptors or fragments.
fn direct(function: &Function, pc: usize, name: Name<'_>) -> Vec<(RegisterSlot, Meaning)> {
    let instruction = &function.code[pc];
    let tables = &function.tables;
    match instruction.op {
        Op::Tensor(id) => match &tables[id] {
            TensorOp::Product(product) => warpgroup(product, name),
            TensorOp::Memory(TensorMemoryOp::Product(product)) => tensor_memory(product, name),
            TensorOp::Memory(TensorMemoryOp::Copy(copy)) => {
                let (rows, chunks) = copy.shape.size();
                let source = MatrixUse {
                    kind: DescriptorKind::TensorMemory,
                    which: "the source",
                    extent: Some((rows, 16 * chunks, 8)),
                    transposed: Some(false),
                };
                vec![(copy.descriptor, Meaning::Matrix(source, None))]
            }
            TensorOp::Memory(TensorMemoryOp::Load(access) | TensorMemoryOp::Store(access)) => {
                spread(&access.registers, &Fragment::cells(access), name)
            }
            TensorOp::Memory(TensorMemoryOp::Allocate { to: (to, _), .. }) => {
                to.base.map(|place| (place, Meaning::Allocation)).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Op::MatrixProduct(id) => {
            let product = &tables[id];
            let matrices = Fragment::of_product(&product.product, product.sparse.is_some());
            let each = product.registers.iter().zip(&matrices);
            each.flat_map(|(registers, fragment)| spread(registers, fragment, name)).collect()
        }
        Op::MatrixAccess(id) => {
            let access = &tables[id];
            match Fragment::small_matrices(access) {
                Some(fragment) => spread(&access.registers, &fragment, name),
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The statement's operands that are addresses in tensor memory.
fn cells(function: &Function, pc: usize, name: Name<'_>) -> Vec<OperandMeaning> {
    let instruction = &function.code[pc];
    let Op::Tensor(id) = instruction.op else { return Vec::new() };
    let TensorOp::Memory(op) = &function.tables[id] else { return Vec::new() };
    let register = |of: CellOperand, place: RegisterSlot, offset: i64| {
        let meaning = Meaning::Cells(of, offset as u32);
        Some(OperandMeaning { operand: MeantOperand::Register(name(place)?), meaning })
    };
    let addresses = CellOperand::addresses(op).into_iter().flat_map(|(of, address)| {
        let constant = || OperandMeaning {
            operand: MeantOperand::Constant(address.offset as u64),
            meaning: Meaning::Cells(of, 0),
        };
        let base = address.base.and_then(|place| register(of, place, address.offset));
        let has_constant = address.base.is_none() || address.offset != 0;
        base.into_iter().chain(has_constant.then(constant))
    });
    let freed = match op {
        TensorMemoryOp::Free { address, .. } => register(CellOperand::FREED, *address, 0),
        _ => None,
    };
    addresses.chain(freed).collect()
}

fn spread(places: &[RegisterSlot], fragment: &Fragment, name: Name<'_>) -> Vec<(RegisterSlot, Meaning)> {
    let named: Option<Vec<SmolStr>> = places.iter().map(|place| name(*place)).collect();
    let Some(registers) = named else { return Vec::new() };
    let fragment = fragment.in_registers(registers);
    places.iter().map(|place| (*place, Meaning::Fragment(fragment.clone()))).collect()
}

fn warpgroup(product: &WarpgroupProduct, name: Name<'_>) -> Vec<(RegisterSlot, Meaning)> {
    let matrix = |which: usize, lines: u32, depth: u32| {
        let of = MatrixUse {
            kind: DescriptorKind::Warpgroup,
            which: ["A", "B"][which],
            extent: Some((lines, depth, product.factors[which].bits())),
            transposed: Some(product.transposed[which]),
        };
        Meaning::Matrix(of, None)
    };
    let stored = if product.sparse.is_some() { product.k / 2 } else { product.k };
    let mut found = spread(&product.d, &Fragment::accumulator(product), name);
    match &product.a {
        FactorSource::Shared(place) => found.push((*place, matrix(0, 64, stored))),
        FactorSource::Registers(places) => found.extend(spread(places, &Fragment::factor(product), name)),
    }
    found.push((product.b, matrix(1, product.n, product.k)));
    found
}

fn tensor_memory(product: &TensorProduct, name: Name<'_>) -> Vec<(RegisterSlot, Meaning)> {
    let form = product.form;
    let matrix = |which: usize| {
        let kind = DescriptorKind::TensorMemory;
        let of = MatrixUse { kind, which: ["A", "B"][which], extent: None, transposed: None };
        let decided = name(product.descriptor).map(|register| DecidedBy { register, form, which });
        Meaning::Matrix(of, decided)
    };
    let mut found = vec![(product.b, matrix(1)), (product.descriptor, Meaning::Instruction(form))];
    if let TensorFactor::Shared(place) = product.a {
        found.push((place, matrix(0)));
    }
    found
}
