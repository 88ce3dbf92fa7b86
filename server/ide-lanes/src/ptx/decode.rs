//! Decodes a PTX kernel from the items of a document, with the ranges of its statements.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};
use text_size::TextSize;
use warplens_hir::ptx::{Function, Instruction, Mnemonic, Operand, Resolution, SymbolId, SymbolKind, Type};
use warplens_ide_db::ptx::{module_names, ptx_function, ptx_headers};
use warplens_ide_db::{Db, File, items};
use warplens_isa::ptx::inexact;
use warplens_sim_ptx as ptx;
use warplens_sim_ptx::program::{Callee, Op};
use warplens_sim_warp::StatementId;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::{Class, ScalarType};

use super::condition::Conditions;
use super::source_lines::SourceFiles;
use crate::program::{AddressRegister, Flow, Numbers, Statement};
use crate::simulator::LaunchProblem;

/// A decoded PTX kernel, with the functions that contain its statements.
pub(crate) struct DecodedPtx {
    pub(crate) program: Arc<ptx::Program>,
    /// In the order of the program, each with the start of its item.
    pub(crate) functions: Vec<(Arc<Function>, TextSize)>,
}

/// Decodes the kernel called `entry`.
pub(crate) fn decode_ptx(db: &dyn Db, file: File, entry: &str) -> Result<DecodedPtx, LaunchProblem> {
    let names = module_names(db, file);
    let list = items(db, file);
    let item_of =
        |name: &str| Some(names.definition(name).filter(|symbol| symbol.kind.is_definition())?.item as usize);
    let function =
        |name: &str| ptx_function(db, *list.get(item_of(name)?)?).filter(|function| function.body.is_some());
    let module = ptx::Module::new(ptx_headers(db, file), &function);
    let program = ptx::decode(&module, entry).map_err(|error| LaunchProblem::new(error.to_string()))?;
    let starts = file.document(db).items();
    let place = |decoded: &ptx::program::Function| {
        Some((function(&decoded.name)?, starts.start_of(item_of(&decoded.name)?)))
    };
    let functions = program.functions.iter().map(place).collect::<Option<_>>();
    let functions =
        functions.ok_or_else(|| LaunchProblem::new(format!("`{entry}` calls a function without a body")))?;
    Ok(DecodedPtx { program: Arc::new(program), functions })
}

impl DecodedPtx {
    pub(crate) fn statements(&self, files: &SourceFiles<'_>, model: ptx::Model) -> Vec<Statement> {
        let mut statements = Vec::with_capacity(self.program.statements());
        let mut meanings = ptx::meaning::meanings(&self.program).into_iter();
        let objects = &self.program.objects;
        let shared: Arc<[Object]> = objects.shared.iter().chain(&objects.dynamic_shared).cloned().collect();
        for (decoded, (function, start)) in self.program.functions.iter().zip(&self.functions) {
            let declared = declared_types(function);
            let lines = files.lines(function);
            let conditions = Conditions::new(function);
            for (pc, (instruction, source)) in function.instructions().zip(lines).enumerate() {
                let flow = flow(&self.program, decoded, pc, model);
                let is_branch = matches!(flow, Flow::Branch { .. });
                statements.push(Statement {
                    range: instruction.range() + *start,
                    opcode: instruction.opcode_range() + *start,
                    condition: is_branch.then(|| conditions.of(instruction)).flatten(),
                    flow,
                    registers: registers(decoded, pc as u32, instruction, function, &declared),
                    meanings: meanings.next().unwrap_or_default(),
                    address: address_register(instruction, function, &shared),
                    source,
                    code: None,
                    numbers: numbers(instruction),
                });
            }
        }
        statements
    }
}

fn numbers(instruction: Instruction<'_>) -> Numbers {
    let Mnemonic { opcode, modifiers, .. } = instruction.mnemonic();
    inexact(opcode, modifiers.iter().map(SmolStr::as_str))
        .map_or(Numbers::Determined, |row| Numbers::Inexact(row.promise))
}

fn flow(program: &ptx::Program, function: &ptx::program::Function, pc: usize, model: ptx::Model) -> Flow {
    let Some(instruction) = function.code.get(pc) else { return Flow::Plain };
    // If there is no reconvergence point, the operand is not an index of an instruction.
    let exists =
        |pc: u32| ((pc as usize) < function.code.len()).then(|| StatementId(function.first_statement + pc));
    let reconvergence = model.reconvergence(instruction);
    match instruction.op {
        Op::Branch(_) => Flow::Branch { reconvergence: exists(reconvergence) },
        Op::Switch(id, _) => {
            let switch = &function.tables[id];
            let mut targets: Vec<_> = switch.targets.iter().filter_map(|target| exists(*target)).collect();
            targets.sort();
            targets.dedup();
            Flow::Switch { targets: targets.into(), reconvergence: exists(reconvergence) }
        }
        Op::Call(id, _) => {
            let call = &function.tables[id];
            let Callee::Indirect(_) = call.callee else { return Flow::Plain };
            let entered = program.functions.iter().skip(1).filter(|callee| !callee.code.is_empty());
            let targets = entered.map(|callee| StatementId(callee.first_statement)).collect();
            Flow::Call { targets, reconvergence: exists(pc as u32 + 1) }
        }
        _ => Flow::Plain,
    }
}

/// The registers of an instruction, with the types of their values.
fn registers(
    function: &ptx::program::Function,
    pc: u32,
    instruction: Instruction<'_>,
    source: &Function,
    declared: &FxHashMap<&str, Type>,
) -> Box<[(SmolStr, ScalarType)]> {
    let written = function.writes_of(pc);
    let addresses = address_names(instruction, source);
    let named = function.registers_of(pc).iter().map(|number| {
        let register = &function.frame.registers[*number as usize];
        let kind = match addresses.contains(&register.name) {
            // The types of an instruction describe the value, not the address.
            true if register.bits > 32 => ScalarType::U64,
            true => ScalarType::U32,
            false => kind_of(instruction, register, written.contains(number), declared),
        };
        (register.name.clone(), kind)
    });
    named.collect()
}

fn address_names(instruction: Instruction<'_>, function: &Function) -> Vec<SmolStr> {
    let base = |operand: &Operand| match operand {
        Operand::Address { .. } => Some(function.address(*operand)?.base),
        _ => None,
    };
    let symbol = |id: SymbolId| function.symbol(id).name.clone();
    let register = |base: Operand| {
        let Operand::Register { name, .. } = base else { return None };
        match function.name(name).resolution {
            Resolution::Symbol(id) => Some(symbol(id)),
            Resolution::Indexed { symbol: id, index } => Some(format_smolstr!("{}{index}", symbol(id))),
            _ => None,
        }
    };
    instruction.operands().iter().filter_map(base).filter_map(register).collect()
}

/// The register of the first address, with the objects of the state space that the instruction names.
fn address_register(
    instruction: Instruction<'_>,
    function: &Function,
    shared: &Arc<[Object]>,
) -> Option<AddressRegister> {
    let name = address_names(instruction, function).into_iter().next()?;
    let is_shared = |modifier: &SmolStr| modifier.split("::").next() == Some("shared");
    let objects = match () {
        () if instruction.modifiers().iter().any(is_shared) => Some(Arc::clone(shared)),
        () if instruction.has("local") || instruction.has("param") || instruction.has("const") => {
            return None;
        }
        () => None,
    };
    Some(AddressRegister { name, objects })
}

/// The types of registers by name, of register ranges by the stem before the number.
fn declared_types(function: &Function) -> FxHashMap<&str, Type> {
    let types = function.symbols().iter().filter_map(|symbol| match symbol.kind {
        SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. } => {
            Some((symbol.name.as_str(), ty?))
        }
        _ => None,
    });
    types.collect()
}

/// The type of a register's value: the instruction's type if it has the register's width (its first type is the type of the result,
/// its last that of the operands), or else the declared type. A type is preferred to untyped bits.
fn kind_of(
    instruction: Instruction<'_>,
    register: &ptx::program::Register,
    is_written: bool,
    declared: &FxHashMap<&str, Type>,
) -> ScalarType {
    let fits = |kind: &ScalarType| kind.bytes() * 8 == usize::from(register.bits);
    let kind = |ty: Type| ScalarType::of_launches(ty.name());
    let mut types = instruction.modifiers().iter().filter_map(|word| kind(Type::from_name(word)?));
    let own = match is_written {
        true => types.next().map(|kind| if instruction.has("wide") { twice(kind) } else { kind }),
        false => types.next_back(),
    };
    let name = register.name.as_str();
    let declared =
        declared.get(name).or_else(|| declared.get(name.trim_end_matches(|c: char| c.is_ascii_digit())));
    let declared = declared.and_then(|ty| kind(*ty));
    let by_width = match register.bits {
        0..=8 => ScalarType::B8,
        9..=16 => ScalarType::B16,
        17..=32 => ScalarType::B32,
        _ => ScalarType::B64,
    };
    let says_more = |kind: &ScalarType| kind.class() != Class::Bits;
    let (own, declared) = (own.filter(fits), declared.filter(fits));
    own.filter(says_more).or(declared.filter(says_more)).or(own).or(declared).unwrap_or(by_width)
}

fn twice(kind: ScalarType) -> ScalarType {
    match (kind.class(), kind.bytes()) {
        (Class::Signed, 2) => ScalarType::S32,
        (Class::Signed, _) => ScalarType::S64,
        (_, 2) => ScalarType::U32,
        _ => ScalarType::U64,
    }
}
