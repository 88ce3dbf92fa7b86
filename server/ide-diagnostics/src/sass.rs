//! Checks of SASS: few and certain, because a tool printed the listing. Nothing is an error, and a part of a listing is not
//! reported for what the rest may have.

use text_size::TextRange;
use warplens_hir::sass::{
    Code, Destination, FlowGraph, Function, Instruction, Value, barrier, flow, is_unconditional, joins,
};
use warplens_ide_db::sass::{names, sass_code, target_of};
use warplens_ide_db::{Db, File, Item, Problem};
use warplens_isa::sass::{self as isa, Flow, Generation};

use crate::codes;

/// Checks an item by itself.
pub fn check_item<'db>(db: &'db dyn Db, _file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    let code = sass_code(db, item);
    for function in &code.functions {
        let ends = ends(&code, function, &item.text(db).0);
        let stated = target_of(db, item, function).is_some();
        let mut check = Check { function, is_whole: ends && starts(function), problems };
        check.addresses();
        for index in 0..function.instructions.len() {
            check.instruction(index, stated);
        }
        check.tokens();
        if ends {
            check.end();
        }
    }
}

/// Whether the text has the start of a function.
fn starts(function: &Function) -> bool {
    function.instructions.first().is_some_and(|first| first.address <= 8)
}

/// Whether the text has the end of a function: a label after the last instruction, or the dots of `cuobjdump`.
fn ends(code: &Code, function: &Function, text: &str) -> bool {
    let count = function.instructions.len() as u32;
    let dots = || text.trim_end().ends_with("....");
    count > 0
        && (function.labels.last().is_some_and(|label| label.before == count)
            || code.functions.len() == 1 && dots())
}

/// Whether a generation does not have an opcode. The tables of the generations before Turing may be incomplete.
fn is_surely_missing(entry: &isa::Instruction, generation: Generation) -> bool {
    let is_sure = generation >= Generation::Turing
        || !generation.has_convergence_barriers()
            && entry.generations.iter().all(|other| other.has_convergence_barriers());
    is_sure && !entry.generations.is_empty() && !entry.generations.contains(&generation)
}

/// A function while it is checked.
struct Check<'c> {
    function: &'c Function,
    /// Whether the text has all of it.
    is_whole: bool,
    problems: &'c mut Vec<Problem>,
}

impl Check<'_> {
    fn warn(&mut self, range: TextRange, code: &'static str, message: String) {
        self.problems.push(Problem::warning(range, code, message));
    }

    /// An address that is not above the one before, though it is above the first.
    fn addresses(&mut self) {
        if let Some(range) = self.function.descends {
            let message = "this address is not above the one before it: lines are missing, repeated or in another order";
            self.warn(range, codes::DUPLICATE_ADDRESS, message.to_owned());
        }
    }

    fn instruction(&mut self, index: usize, stated: bool) {
        let function = self.function;
        let instruction = &function.instructions[index];
        self.target(index);
        if let Some(entry) = isa::opcode(&instruction.opcode)
            && stated
            && is_surely_missing(entry, function.generation)
        {
            let message = format!(
                "`{}` is not an instruction of {:?} ({}): the target of this listing may be wrong",
                instruction.opcode,
                function.generation,
                function.generation.targets()
            );
            self.warn(instruction.opcode_range, codes::OPCODE_OF_OTHER_TARGET, message);
        }
        if function.has_modifier(instruction, "LMT") && self.is_whole && !self.sets_limit() {
            let message =
                "`.LMT` depends on the limit flag, which only a call or a PRET sets: this function has none";
            self.problems.push(Problem::hint(instruction.opcode_range, codes::LIMIT_WITHOUT_CALL, message));
        }
        for operand in function.operands(instruction) {
            if let Value::Condition(condition) = &operand.value
                && condition.is_of_graphics()
            {
                let message = format!(
                    "`CC.{}` depends on the state of graphics: a simulation stops here",
                    condition.name()
                );
                self.problems.push(Problem::hint(operand.range, codes::GRAPHICS_CONDITION, message));
            }
        }
    }

    fn sets_limit(&self) -> bool {
        self.function.instructions.iter().any(|it| matches!(it.opcode.as_str(), "PRET" | "CAL" | "JCAL"))
    }

    fn target(&mut self, index: usize) {
        let function = self.function;
        let instruction = &function.instructions[index];
        let Some(operand) = function.operands(instruction).last() else { return };
        match (instruction.destination, &operand.value) {
            (Destination::Missing, Value::Immediate(warplens_hir::sass::Immediate::Integer(address))) => {
                if address % 4 != 0 {
                    let message = format!(
                        "the target {address:#x} is not a multiple of 4, as all addresses of instructions are"
                    );
                    self.warn(operand.range, codes::MISALIGNED_TARGET, message);
                } else if self.is_whole || self.lies_within(*address) {
                    let message = format!("there is not an instruction at {address:#x}");
                    self.warn(operand.range, codes::MISSING_TARGET, message);
                }
            }
            (Destination::Symbol, _) if self.is_whole => {
                let Some(symbol) = names::symbol(operand) else { return };
                // Other names are functions elsewhere.
                if symbol.name.starts_with(".L") {
                    let message = format!("this function does not have the label `{}`", symbol.name);
                    self.warn(symbol.range, codes::MISSING_TARGET, message);
                }
            }
            _ => {}
        }
    }

    /// Whether an address is between the first and the last instruction.
    fn lies_within(&self, address: i64) -> bool {
        let all = &self.function.instructions;
        let (Some(first), Some(last)) = (all.first(), all.last()) else { return false };
        self.function.has_addresses && i64::from(first.address) < address && address < i64::from(last.address)
    }

    /// Tokens and barriers that are used where none was pushed or set.
    fn tokens(&mut self) {
        let function = self.function;
        let is_use = |instruction: &Instruction| {
            matches!(flow(instruction), Flow::Pop | Flow::BarrierSync | Flow::BarrierBreak)
                || joins(function, instruction)
        };
        if !starts(function) || !function.instructions.iter().any(is_use) {
            return;
        }
        if function.generation.has_convergence_barriers() {
            return self.barriers();
        }
        for index in FlowGraph::new(function).unbalanced {
            let instruction = &function.instructions[index as usize];
            // A function that is called returns by the token of its caller, and a subroutine may use one, too.
            if flow(instruction) == Flow::Pop
                && self.is_whole
                && function.labels.iter().all(|label| !label.is_function)
            {
                let opens = match instruction.opcode.as_str() {
                    "SYNC" => "SSY",
                    "BRK" => "PBK",
                    "CONT" => "PCNT",
                    _ => continue,
                };
                let message = format!(
                    "no token for this `{}`: there is not a `{opens}` on a path to it",
                    instruction.opcode
                );
                self.warn(instruction.opcode_range, codes::UNMATCHED_TOKEN, message);
            }
        }
    }

    /// A path may lead back, so a barrier that is set anywhere in the function is set.
    fn barriers(&mut self) {
        let function = self.function;
        let is_use =
            |instruction: &Instruction| matches!(flow(instruction), Flow::BarrierSync | Flow::BarrierBreak);
        let bit = |number: u8| 1_u32.checked_shl(u32::from(number)).unwrap_or_default();
        let set = (function.instructions.iter().filter(|instruction| !is_use(instruction)))
            .filter_map(|instruction| barrier(function, instruction))
            .fold(0, |set, barrier| set | bit(barrier.number));
        for instruction in function.instructions.iter().filter(|instruction| is_use(instruction)) {
            let Some(barrier) = barrier(function, instruction) else { continue };
            if set & bit(barrier.number) == 0 {
                let message =
                    format!("`{barrier}` is not set: there is not a `BSSY {barrier}` in this function");
                self.warn(instruction.opcode_range, codes::BARRIER_NOT_SET, message);
            }
        }
    }

    /// Control that continues after the last instruction.
    fn end(&mut self) {
        let function = self.function;
        let last = function.instructions.iter().rev().find(|instruction| instruction.opcode != "NOP");
        let Some(last) = last else { return };
        let ends = match flow(last) {
            Flow::Branch | Flow::IndirectBranch | Flow::Exit | Flow::Return | Flow::Pop => {
                is_unconditional(function, last)
            }
            Flow::Trap | Flow::Call => true,
            _ => joins(function, last),
        };
        if !ends {
            let message =
                "control reaches the end of the function: there is not an `EXIT`, `RET` or branch after it";
            self.warn(last.opcode_range, codes::MISSING_RETURN, message.to_owned());
        }
    }
}
