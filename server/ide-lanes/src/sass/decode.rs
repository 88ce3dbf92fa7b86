//! Decodes a kernel of a listing, with the ranges of its statements.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_hir::sass::{Function, Instruction, Listed, Listing};
use warplens_ide_db::sass::listing;
use warplens_ide_db::{Database, File};
use warplens_isa::sass::inexact;
use warplens_sim_sass::program::{Cell, Control, Op, Operation, Token};
use warplens_sim_sass::{self as sass, InstructionIndices, Program};
use warplens_sim_warp::{ScalarType, StatementId};

use super::source_lines::SourceComments;
use crate::program::{CodePlace, Flow, Numbers, Statement};
use crate::simulator::{DocumentKernel, LaunchProblem};

/// The source lines of items, by their number.
type Sources = FxHashMap<usize, SourceComments>;

pub(super) fn decode_sass(
    db: &Database,
    file: File,
    kernel: &DocumentKernel,
) -> Result<(Program, Vec<Statement>), LaunchProblem> {
    let listing = listing(db, file);
    // Several functions may have the name: this is the one of the kernel's item.
    let is_kernel = |listed: &Listed| listed.item == kernel.item && is_runnable(listing.function(listed));
    let Some(entry) = listing.functions().iter().position(is_kernel) else {
        return Err(LaunchProblem::new(format!("the listing has no function `{}`", kernel.kernel.name)));
    };
    let (program, places) = sass::decode_at(&listing, entry);
    let sources = sources(db, file, &listing, &places);
    let statements = statements(&listing, &program, &places, &sources);
    Ok((program, statements))
}

/// Whether a function may be a kernel and has code.
pub(super) fn is_runnable(function: &Function) -> bool {
    function.is_kernel != Some(false) && !function.instructions.is_empty()
}

/// The source lines of the items that a program was decoded from.
fn sources(db: &Database, file: File, listing: &Listing, places: &InstructionIndices) -> Sources {
    let items = file.document(db).items();
    let mut sources = Sources::default();
    for &(function, _) in places {
        let item = listing.functions()[function].item;
        sources.entry(item).or_insert_with(|| SourceComments::of(&items[item].text));
    }
    sources
}

fn statements(
    listing: &Listing,
    program: &Program,
    places: &InstructionIndices,
    sources: &Sources,
) -> Vec<Statement> {
    let statement = |(index, &(function, instruction)): (usize, &(usize, u32))| {
        let listed = &listing.functions()[function];
        let start = listing.start(listed);
        let function = listing.function(listed);
        let instruction = &function.instructions[instruction as usize];
        Statement {
            range: instruction.range + start,
            opcode: instruction.opcode_range + start,
            flow: flow(program, index),
            registers: registers(program, index),
            condition: None,
            meanings: Box::default(),
            address: None,
            source: sources[&listed.item].line(function.range, instruction.range.start()),
            code: Some(CodePlace { function: name_of(function), address: instruction.address }),
            numbers: numbers(function, instruction),
        }
    };
    places.iter().enumerate().map(statement).collect()
}

/// Whether the result of an instruction is determined to the bit.
fn numbers(function: &Function, instruction: &Instruction) -> Numbers {
    let modifiers = function.modifiers(instruction).iter().map(|word| word.text.as_str());
    inexact(&instruction.opcode, modifiers).map_or(Numbers::Determined, Numbers::Inexact)
}

fn name_of(function: &Function) -> SmolStr {
    function.name.as_ref().map_or_else(|| sass::UNNAMED.into(), |name| name.text.clone())
}

/// The effect of a statement on groups of lanes. A branch reconverges where the region around it ends.
fn flow(program: &Program, index: usize) -> Flow {
    let id = |statement: u32| ((statement as usize) < program.statements()).then_some(StatementId(statement));
    match program.code[index].op {
        Op::Control(Control::Branch(..)) => {
            Flow::Branch { reconvergence: region_end(program, index).and_then(id) }
        }
        _ => Flow::Plain,
    }
}

/// The end of the innermost region that is open before a statement: the target of its `SSY`, or the statement after its `BSYNC`.
fn region_end(program: &Program, index: usize) -> Option<u32> {
    let function = program.function_of(index as u32);
    let first = program.functions[function].first as usize;
    let ends_after = |end: &u32| *end as usize > index;
    program.code[first..index].iter().enumerate().rev().find_map(|(at, operation)| match operation.op {
        Op::Control(Control::Push(Token::Sync, target)) => Some(target).filter(ends_after),
        Op::Control(Control::BarrierSet(barrier, _)) => {
            end_of_barrier(program, first + at, barrier).filter(ends_after)
        }
        _ => None,
    })
}

/// The statement after the next `BSYNC` of a barrier.
fn end_of_barrier(program: &Program, from: usize, barrier: u8) -> Option<u32> {
    let waits = |operation: &Operation| operation.op == Op::Control(Control::BarrierWait(barrier));
    let at = program.code[from..].iter().position(waits)?;
    Some((from + at + 1) as u32)
}

/// The registers of a statement, with the types of their values.
fn registers(program: &Program, index: usize) -> Box<[(SmolStr, ScalarType)]> {
    let (word, pair) = match program.code[index].op {
        Op::Float(..)
        | Op::FloatMinMax(_)
        | Op::FloatSetp(..)
        | Op::FloatSet(..)
        | Op::SelectFloat { .. }
        | Op::Mufu(_) => (ScalarType::F32, ScalarType::B64),
        Op::Double(..) | Op::DoubleMinMax | Op::DoubleSetp(..) => (ScalarType::U32, ScalarType::F64),
        _ => (ScalarType::S32, ScalarType::U64),
    };
    let kind = |cell: Cell| match cell {
        Cell::Predicate(_) => ScalarType::B8,
        Cell::Rows(_, 1) => word,
        Cell::Rows(..) => pair,
    };
    program.named[index].iter().map(|named| (named.name.clone(), kind(named.cell))).collect()
}
