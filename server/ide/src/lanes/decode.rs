//! From the items of a document to a decoded kernel and the places of its statements.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::TextSize;
use warplens_hir::ptx::{Function, Instruction, SymbolKind, Type};
use warplens_sim::StatementId;
use warplens_sim::launch::{Class, ScalarKind};
use warplens_sim::ptx;
use warplens_sim::ptx::program::Op;

use super::model::Model;
use super::statement::{Flow, Statement};
use crate::db::{Db, File, items, ptx_function, ptx_header};
use crate::module::module_names;

/// A decoded PTX kernel, with the functions that its statements stand in.
pub(crate) struct DecodedPtx {
    pub(crate) program: ptx::Program,
    /// As in the program, with the start of each one's item.
    pub(crate) functions: Vec<(Arc<Function>, TextSize)>,
}

/// Decodes the kernel called `entry`.
pub(crate) fn decode_ptx(db: &dyn Db, file: File, entry: &str) -> Result<DecodedPtx, String> {
    let names = module_names(db, file);
    let list = items(db, file);
    let item_of =
        |name: &str| Some(names.definition(name).filter(|symbol| symbol.kind.is_definition())?.item as usize);
    let function =
        |name: &str| ptx_function(db, *list.get(item_of(name)?)?).filter(|function| function.body.is_some());
    let module = ptx::Module::new(list.iter().map(|item| ptx_header(db, *item)), &function);
    let program = ptx::decode(&module, entry).map_err(|error| error.to_string())?;
    let starts = file.document(db).items();
    let place = |decoded: &ptx::program::Function| {
        Some((function(&decoded.name)?, starts.start_of(item_of(&decoded.name)?)))
    };
    let functions = program.functions.iter().map(place).collect::<Option<_>>();
    let functions = functions.ok_or_else(|| format!("`{entry}` reaches a function without a body"))?;
    Ok(DecodedPtx { program, functions })
}

impl DecodedPtx {
    /// The statements with their places in the file.
    pub(crate) fn statements(&self, model: Model) -> Vec<Statement> {
        let mut statements = Vec::with_capacity(self.program.statements());
        for (index, (decoded, (function, start))) in
            self.program.functions.iter().zip(&self.functions).enumerate()
        {
            // Final values are kept of the entry's registers.
            let writes = if index == 0 { sole_writes(decoded, function) } else { FxHashMap::default() };
            for (pc, instruction) in function.instructions().enumerate() {
                statements.push(Statement {
                    range: instruction.range() + *start,
                    opcode: instruction.opcode_range() + *start,
                    flow: flow(decoded, pc, model),
                    writes: writes.get(&pc).cloned().unwrap_or_default(),
                });
            }
        }
        statements
    }
}

fn flow(function: &ptx::program::Function, pc: usize, model: Model) -> Flow {
    let Some(instruction) = function.code.get(pc) else { return Flow::Plain };
    // A branch whose lanes meet nowhere names no instruction.
    let exists =
        |pc: u32| ((pc as usize) < function.code.len()).then(|| StatementId(function.first_statement + pc));
    let meets = if model == Model::Ptx(ptx::Model::Textbook) { instruction.s.c } else { instruction.s.b };
    match instruction.op {
        Op::Branch(_) => Flow::Branch { meets: exists(meets) },
        Op::Switch(_) => {
            let switch = &function.tables.switches[instruction.s.a as usize];
            let mut targets: Vec<_> = switch.targets.iter().filter_map(|target| exists(*target)).collect();
            targets.sort();
            targets.dedup();
            Flow::Switch { targets: targets.into(), meets: exists(meets) }
        }
        _ => Flow::Plain,
    }
}

type Writes = Box<[(SmolStr, ScalarKind)]>;

/// The registers that only one statement writes, by that statement.
fn sole_writes(decoded: &ptx::program::Function, function: &Function) -> FxHashMap<usize, Writes> {
    let mut writers = vec![0u32; decoded.frame.registers.len()];
    for pc in 0..decoded.code.len() {
        for register in decoded.writes_of(pc as u32) {
            writers[*register as usize] += 1;
        }
    }
    let declared = declared_types(function);
    let mut writes = FxHashMap::default();
    for (pc, instruction) in function.instructions().enumerate().take(decoded.code.len()) {
        let sole = decoded.writes_of(pc as u32).iter().filter(|register| writers[**register as usize] == 1);
        let sole: Writes = sole
            .map(|register| {
                let register = &decoded.frame.registers[*register as usize];
                (register.name.clone(), kind_of(instruction, register, &declared))
            })
            .collect();
        if !sole.is_empty() {
            writes.insert(pc, sole);
        }
    }
    writes
}

/// The types of registers by name; of ranges by what stands before the number.
fn declared_types(function: &Function) -> FxHashMap<&str, Type> {
    let types = function.symbols().iter().filter_map(|symbol| match symbol.kind {
        SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. } => {
            Some((symbol.name.as_str(), ty?))
        }
        _ => None,
    });
    types.collect()
}

/// How the value of a register is read: as the instruction's own type where that has its width, else as declared.
fn kind_of(
    instruction: Instruction<'_>,
    register: &ptx::program::Register,
    declared: &FxHashMap<&str, Type>,
) -> ScalarKind {
    let fits = |kind: &ScalarKind| kind.bytes() * 8 == usize::from(register.bits);
    let kind = |ty: Type| ScalarKind::from_name(ty.name());
    let written = instruction.modifiers().iter().find_map(|word| kind(Type::from_name(word)?));
    let written = written.map(|kind| if instruction.has("wide") { twice(kind) } else { kind });
    let name = register.name.as_str();
    let declared =
        declared.get(name).or_else(|| declared.get(name.trim_end_matches(|c: char| c.is_ascii_digit())));
    let declared = declared.and_then(|ty| kind(*ty));
    let by_width = match register.bits {
        0..=8 => ScalarKind::B8,
        9..=16 => ScalarKind::B16,
        17..=32 => ScalarKind::B32,
        _ => ScalarKind::B64,
    };
    written.filter(fits).or(declared.filter(fits)).unwrap_or(by_width)
}

fn twice(kind: ScalarKind) -> ScalarKind {
    match (kind.class(), kind.bytes()) {
        (Class::Signed, 2) => ScalarKind::S32,
        (Class::Signed, _) => ScalarKind::S64,
        (_, 2) => ScalarKind::U32,
        _ => ScalarKind::U64,
    }
}
