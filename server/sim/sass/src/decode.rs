//! Decodes a lowered listing to a [`Program`].
//!
//! [`decode`] collects the functions that the entry can reach and decodes their instructions: `operands`
//! assigns operands to rows of the register file, `table` maps opcodes to operations, and the other modules
//! read the operands of their kinds of instructions. An instruction that is not covered becomes
//! [`Op::Unsupported`] with a note.

mod compare;
mod control;
mod decoder;
mod float;
mod instruction;
mod integer;
mod memory;
mod names;
mod operands;
mod pool;
mod predicates;
mod sections;
mod special;
mod table;
mod unsupported;

use warplens_hir::sass::{DatumValue, Immediate, Listed, Listing, Operand, RegisterFile, Value, accesses};
use warplens_isa::sass as isa;

use self::decoder::Decoder;
use self::instruction::Inst;
use self::operands::Kind;
use self::predicates::{condition, condition_of};
use self::unsupported::Decoded;
use super::program::{Cell, Op, Operation, Prepare, Program, Unknown};
use super::registers::{Condition, DROPPED, Row, Source};
use super::target::Target;

pub use self::decoder::{InstructionIndices, UNNAMED, function_name};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The listing has no function with this name.
    NoFunction,
}

/// Decodes the function with a name and the functions that it can reach.
///
/// # Errors
///
/// When the listing does not have the function.
pub fn decode(listing: &Listing, name: &str) -> Result<(Program, InstructionIndices), DecodeError> {
    let is_named = |listed: &Listed| function_name(listing, listed) == name;
    let entry = listing.functions().iter().position(is_named).ok_or(DecodeError::NoFunction)?;
    Ok(decode_at(listing, entry))
}

/// Decodes a function, given by its index in [`Listing::functions`], and the functions that it can reach.
pub fn decode_at(listing: &Listing, entry: usize) -> (Program, InstructionIndices) {
    let listed = &listing.functions()[entry];
    let stated = listed.target.as_ref().map(|target| Target(target.number));
    let target = stated.unwrap_or_else(|| Target::first_of(listed.generation));
    let mut decoder = Decoder::new(listing, target, reachable(listing, entry));
    decoder.read_banks();
    decoder.instructions();
    decoder.finish(&function_name(listing, listed))
}

/// The functions that the entry can reach because operands or data name them. The entry comes first.
fn reachable(listing: &Listing, entry: usize) -> Vec<usize> {
    let mut found = vec![entry];
    let mut at = 0;
    while let Some(&index) = found.get(at) {
        let function = listing.function(&listing.functions()[index]);
        let named = function.operands.iter().filter_map(|operand| match &operand.value {
            Value::Symbol(symbol) => Some(&symbol.name),
            Value::RegisterTarget(target) => target.symbol.as_ref().map(|symbol| &symbol.name),
            _ => None,
        });
        // Any data section may contain tables of functions.
        let tables = listing.sections().flat_map(|(section, _)| {
            let holds_data =
                section.name.starts_with(".nv.global") || section.name.starts_with(".nv.constant");
            section.data.iter().filter(move |_| holds_data)
        });
        let in_tables = tables.filter_map(|datum| match &datum.value {
            DatumValue::Expression(expression) => Some(&expression.symbol),
            _ => None,
        });
        for name in named.chain(in_tables) {
            // A fat file has functions with the same name for several targets.
            let named = |listed: &&Listed| function_name(listing, listed) == *name;
            let with_name = || listing.functions().iter().enumerate().filter(|(_, listed)| named(listed));
            let target = &listing.functions()[entry].target;
            let of_target = with_name().find(|(_, listed)| listed.target == *target);
            let other = of_target.or_else(|| with_name().next()).map(|(index, _)| index);
            if let Some(other) = other.filter(|other| !found.contains(other)) {
                found.push(other);
            }
        }
        at += 1;
    }
    found
}

impl Decoder<'_> {
    fn instructions(&mut self) {
        for number in 0..self.functions.len() {
            let function = self.function(number);
            for index in 0..function.instructions.len() {
                let inst = Inst::new(function, index, number, self.target);
                let operation = self.instruction(&inst);
                self.note_targets(&inst);
                self.program.code.push(operation);
            }
        }
    }

    /// Adds the targets of the next statement, if the listing notes them: `(*"BRANCH_TARGETS .L_x_6,.L_x_7"*)`.
    fn note_targets(&mut self, inst: &Inst<'_>) {
        let function = self.function(inst.number);
        let noted = function.noted_targets(inst.ins).iter().filter_map(|word| function.label(&word.text));
        let mut targets: Vec<u32> = noted.map(|label| self.firsts[inst.number] + label.before).collect();
        targets.sort_unstable();
        targets.dedup();
        if !targets.is_empty() {
            self.program.noted_targets.push((self.program.code.len() as u32, targets.into()));
        }
    }

    fn instruction(&mut self, inst: &Inst<'_>) -> Operation {
        let mut operation = match self.stated_operation(inst) {
            Ok(operation) => operation,
            Err(why) => self.unsupported(inst, &why.reason),
        };
        if operation.q != [DROPPED; 2] && !operation.op.writes_predicates() {
            operation = self.unsupported(inst, "a predicate destination is not simulated");
        }
        if !self.has_all_words(&operation) {
            operation = self.unsupported(inst, "an operand has more words than its constant");
        }
        if let Some(guard) = inst.ins.guard.filter(|guard| guard.register.is_predicate()) {
            operation.guard = condition_of(guard.register, guard.negated);
        }
        operation.joins = inst.joins;
        operation.prepare = preparation(&operation);
        operation
    }

    /// The operation, unless the statement is one that no machine code has.
    fn stated_operation(&mut self, inst: &Inst<'_>) -> Decoded {
        if let Some((_, modifier)) = inst.function.carry_without_x(inst.ins) {
            return Err(format!(
                "a carry operand without `.{modifier}` is not an operand of this instruction"
            )
            .into());
        }
        if let Some((_, why)) = inst.function.misstated_operand(inst.ins) {
            return Err(why.into());
        }
        inst.cc_test()?;
        self.operation(inst)
    }

    /// Whether the sources of an operation have all the words that it reads.
    fn has_all_words(&self, operation: &Operation) -> bool {
        let (_, words) = names::widths(operation, &self.program);
        let sources = operation.s.iter().map(|source| source.row).zip(words);
        let mut wide: Vec<(Row, u16)> = sources.filter(|(_, words)| *words > 1).collect();
        if let Op::Atomic(atomic) = operation.op {
            let atomic = &self.program.atomics[atomic];
            let words = atomic.ty.bits().div_ceil(32) as u16;
            wide.extend(atomic.b.into_iter().chain([atomic.c]).map(|source| (source.row, words)));
        }
        wide.into_iter().all(|(row, words)| self.pool.has_words(row, words))
    }

    /// An instruction that is not simulated. A run continues after one that computes with floats, and stops
    /// at any other.
    fn unsupported(&mut self, inst: &Inst<'_>, why: &str) -> Operation {
        let name = inst.full_name();
        let note = if why.is_empty() { format!("`{name}`") } else { format!("`{name}`: {why}") };
        let cells = self.float_results(inst);
        if !cells.is_empty() {
            let known = self.known_choice(inst);
            let unknown = self.program.unknowns.alloc(Unknown { note, cells, selects: known.is_some() });
            let uniform = inst.ins.opcode.starts_with("UF");
            let mut operation = Operation { uniform, ..Operation::new(Op::Unknown(unknown)) };
            if let Some((source, condition)) = known {
                (operation.s[0], operation.p[1]) = (source, condition);
            }
            return operation;
        }
        Operation::new(Op::Unsupported(self.program.notes.alloc(note)))
    }

    /// Of an `FSEL` between a register and a NaN without bits: the register, and the condition under which it is selected.
    fn known_choice(&mut self, inst: &Inst<'_>) -> Option<(Source, Condition)> {
        let [_, a, b, chooser] = inst.ops else { return None };
        let is_nan =
            |operand: &Operand| matches!(operand.value, Value::Immediate(Immediate::NotANumber { .. }));
        let (known, is_first) = match (is_nan(a), is_nan(b)) {
            (false, true) => (a, true),
            (true, false) => (b, false),
            _ => return None,
        };
        if inst.ins.opcode != "FSEL" || inst.has("FTZ") || known.register().is_none() {
            return None;
        }
        let source = self.source(inst, known, Kind::Float).ok().filter(|source| source.sign == 0)?;
        let condition = condition(chooser)?;
        Some((source, Condition { negated: condition.negated == is_first, ..condition }))
    }

    /// The registers that an instruction writes, if it computes with floats and has operands.
    fn float_results(&self, inst: &Inst<'_>) -> Vec<Cell> {
        let opcode = inst.ins.opcode.as_str();
        let category = isa::opcode(opcode).map_or("", |entry| entry.category.id);
        let is_float = match category {
            "float" | "half" | "double" => true,
            "convert" => opcode.contains('F'),
            "tensor" => matches!(opcode, "HMMA" | "DMMA"),
            "uniform" => opcode.starts_with("UF") && !opcode.starts_with("UFLO"),
            _ => false,
        };
        if !is_float || inst.ops.len() < 2 {
            return Vec::new();
        }
        let written = accesses(inst.function, inst.ins).into_iter().filter(|access| access.is_write);
        let cells = written.filter_map(|access| match access.register.file {
            RegisterFile::General | RegisterFile::Uniform => {
                Some(Cell::Rows(self.pool.row(access.register), access.count.into()))
            }
            RegisterFile::Predicate | RegisterFile::UniformPredicate => {
                Some(Cell::Predicate(condition_of(access.register, false).predicate))
            }
            _ => None,
        });
        cells.collect()
    }

    fn finish(mut self, name: &str) -> (Program, InstructionIndices) {
        self.read_facts();
        let mut program = self.program;
        program.layout = self.pool.finish();
        program.name = name.into();
        names::name_registers(&mut program);
        program.find_straight_runs();
        (program, self.places)
    }
}

/// What must be done to the sources before the operation.
fn preparation(operation: &Operation) -> Prepare {
    let plain = operation.s.iter().all(|source| source.sign == 0 && source.part == Default::default());
    match operation.op {
        _ if plain => Prepare::Nothing,
        // These operations apply the signs themselves.
        Op::Float(_, mode) if mode.is_nearest() => Prepare::Nothing,
        Op::Move
        | Op::Add3
        | Op::MulAdd
        | Op::Select
        | Op::Lop3(_)
        | Op::ShiftLeft { .. }
        | Op::ShiftRight { .. }
        | Op::Funnel { .. }
        | Op::Permute(_)
        | Op::MoveBytes
        | Op::PopCount
        | Op::Reverse
        | Op::FindHigh { .. }
        | Op::Extend { .. }
        | Op::BitMask { .. }
        | Op::ExtractField { .. }
        | Op::InsertField
        | Op::MinMax3(_)
        | Op::AddMinMax(_)
        | Op::Dot { .. }
        | Op::AbsoluteDifference { .. }
        | Op::AbsoluteDifferences { .. }
        | Op::VideoMinMax { .. }
        | Op::Clamp { .. }
        | Op::CompareSelect(_)
        | Op::MinMaxHigh { .. }
        | Op::MinMaxLow
        | Op::MulHighAdd { .. }
        | Op::FirstLane
        | Op::Reduce(_)
        | Op::Shuffle(_) => Prepare::Integers,
        Op::Compare(compare) | Op::CompareTo(compare, _) | Op::CompareCc(compare) if !compare.wide => {
            Prepare::Integers
        }
        Op::MinMax(kind) if kind.bits != 64 => Prepare::Integers,
        Op::MoveFloat
        | Op::SelectFloat { .. }
        | Op::Float(..)
        | Op::FloatMinMax3(_)
        | Op::FloatSetp(..)
        | Op::FloatSet(..)
        | Op::FloatSelect(_)
        | Op::FloatCheck
        | Op::Mufu(_) => Prepare::Floats,
        // The XOR would use the signs of the registers.
        Op::FloatMinMax(compare) if !compare.xor_sign => Prepare::Floats,
        _ => Prepare::Nothing,
    }
}
