//! Checks of SASS, a file for each diagnostic. They are few and certain, because a tool printed the listing: nothing is an
//! error, and a part of a listing is not reported for what the rest may have.

mod barrier_not_set;
mod duplicate_address;
mod field_width;
mod graphics_condition;
mod limit_without_call;
mod misaligned_target;
mod missing_return;
mod missing_target;
mod no_instructions;
mod no_such_encoding;
mod opcode_of_other_target;
mod signed_hex;
mod unmatched_token;

use warplens_hir::sass::{Code, Destination, Function, Immediate, Instruction, Value, flow, joins};
use warplens_ide_db::sass::{sass_code, target_of};
use warplens_ide_db::{Db, File, Item, Problem};
use warplens_isa::sass::Flow;

pub fn check_item<'db>(db: &'db dyn Db, file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    let code = sass_code(db, item);
    problems.extend(no_instructions::check(db, file, item, &code));
    for function in &code.functions {
        let ends = ends(&code, function, &item.text(db).0);
        let stated = target_of(db, item, function).is_some();
        let mut check = Check { function, is_whole: ends && starts(function), problems };
        check.problems.extend(duplicate_address::check(function));
        for index in 0..function.instructions.len() {
            check.instruction(index, stated);
        }
        check.tokens();
        if ends {
            check.problems.extend(missing_return::check(function));
        }
    }
}

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

struct Check<'c> {
    function: &'c Function,
    /// Whether the text has all of it.
    is_whole: bool,
    problems: &'c mut Vec<Problem>,
}

impl Check<'_> {
    fn instruction(&mut self, index: usize, stated: bool) {
        let function = self.function;
        let instruction = &function.instructions[index];
        // The first of adjacent lines that are not read stands for the others.
        if function.is_unread(instruction) && !self.reports_unread(index) {
            return;
        }
        self.problems.extend(self.target(index));
        if stated {
            self.problems.extend(opcode_of_other_target::check(function, instruction));
        }
        if self.is_whole {
            self.problems.extend(limit_without_call::check(function, instruction));
        }
        self.problems.extend(function.operands(instruction).iter().filter_map(graphics_condition::check));
        no_such_encoding::check(function, index, stated, self.problems);
    }

    fn reports_unread(&self, index: usize) -> bool {
        let earlier = &self.function.instructions[..index];
        no_instructions::is_read(self.function)
            && !earlier.last().is_some_and(|instruction| self.function.is_unread(instruction))
    }

    fn target(&self, index: usize) -> Option<Problem> {
        let function = self.function;
        let instruction = &function.instructions[index];
        let operand = function.operands(instruction).last()?;
        let address = match &operand.value {
            Value::Immediate(Immediate::Integer(address)) | Value::Absolute(address) => *address,
            Value::Relative(offset) => i64::from(function.next_address(index)).saturating_add(*offset),
            _ => 0,
        };
        match (instruction.destination, &operand.value) {
            (Destination::Missing, _) => misaligned_target::check(operand.range, address).or_else(|| {
                let is_known = self.is_whole || missing_target::lies_within(function, address);
                is_known.then(|| missing_target::address(operand.range, address))
            }),
            (Destination::Symbol, _) if self.is_whole => missing_target::label(operand),
            _ => None,
        }
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
            return barrier_not_set::check(function, self.problems);
        }
        // A function that is called returns by the token of its caller, and a subroutine may use one, too.
        if self.is_whole && function.labels.iter().all(|label| !label.is_function) {
            unmatched_token::check(function, self.problems);
        }
    }
}
