//! Checks of PTX.

mod attributes;
mod broken;
mod calls;
mod components;
mod declarations;
mod directives;
mod flow;
mod forms;
mod instructions;
mod merge;
mod module_rules;
mod names;
mod needs;
mod performance;
mod prologue;
mod sections;
mod tables;
mod targets;
mod unused;

use warplens_hir::ptx;
use warplens_hir::ptx::{Function, ProblemKind};
use warplens_ide_db::answer::Diagnostic;
use warplens_ide_db::db::{Database, Db, File, Item, ptx_function, ptx_header};
use warplens_ide_db::module_target::module_target;
use warplens_ide_db::similar::{did_you_mean, nearest};

use crate::codes;
use crate::problem::{ItemFix, Problem};

/// What is wrong with an item by itself, beside its syntax. What its module is written for is all that a check may ask
/// of the file: [`module_target`](warplens_ide_db::module_target::module_target).
pub(super) fn check_item<'db>(db: &'db dyn Db, file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    let text = &item.text(db).0;
    let module = module_target(db, file);
    match ptx_function(db, item) {
        Some(function) => {
            db.unwind_if_revision_cancelled();
            declarations::check_function(&function, module, problems);
            performance::check(&function, text, module, problems);
            tables::check(&function, module, problems);
            calls::find(db, item);
            targets::find(db, item);
            problems.extend(function.problems().iter().map(|found| describe(found, text, Some(&function))));
            instructions::check(db, item, &function, problems);
            components::check(db, item, &function, problems);
            let before = problems.len();
            forms::check(db, file, item, &function, problems);
            merge::by_declaration(&function, problems, before);
            flow::check(db, file, item, &function, problems);
            unused::check(db, file, item, &function, problems);
        }
        None => {
            let header = ptx_header(db, item);
            problems.extend(header.problems.iter().map(|found| describe(found, text, None)));
            declarations::check_module(header, module, problems);
        }
    }
    directives::check(db, item, module, problems);
}

/// What is wrong with the items of a file together.
pub(super) fn check_module(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut found = names::check(db, file);
    found.extend(prologue::check(db, file));
    found.extend(module_rules::check(db, file));
    found
}

/// A problem that lowering found, in words.
fn describe(found: &ptx::Problem, text: &str, function: Option<&Function>) -> Problem {
    let written = text.get(std::ops::Range::<usize>::from(found.range)).unwrap_or_default();
    match &found.kind {
        ProblemKind::Duplicate { first } => {
            let message =
                format!("`{written}` is declared a second time in this scope; give it another name");
            let problem = Problem::error(found.range, codes::DUPLICATE_NAME, message);
            match function {
                Some(function) => problem.with_related(function.symbol(*first).range, "first declared here"),
                None => problem,
            }
        }
        ProblemKind::Declaration(mistake) => declarations::describe(found.range, *mistake),
        ProblemKind::UnknownType(word) => {
            let types = warplens_isa::ptx::types().iter().map(|ty| ty.name);
            let meant = nearest(word, types);
            let message = format!("`{word}` is not a type{}", did_you_mean(meant));
            Problem::error(found.range, codes::UNKNOWN_TYPE, message)
                .with_fix(meant.map(|meant| ItemFix::replacement(found.range, meant)))
        }
        ProblemKind::Alignment(value) => {
            let message = format!("an alignment is a power of two; {value} is none");
            Problem::error(found.range, codes::INVALID_ALIGNMENT, message)
        }
        ProblemKind::DivisionByZero => {
            Problem::error(found.range, codes::INVALID_CONSTANT, "this constant expression divides by zero")
        }
        ProblemKind::ConstantTypes => {
            let message =
                "integers and floats do not mix in a constant expression; write both as one of them";
            Problem::error(found.range, codes::INVALID_CONSTANT, message)
        }
        ProblemKind::OperandExpression => {
            let message =
                "only constants can be added to a name in an operand; compute the rest with an instruction";
            Problem::error(found.range, codes::INVALID_OPERAND, message)
        }
        ProblemKind::SubtractedOffset => {
            let message = "an offset is added to a name, never subtracted; write `+-`";
            Problem::error(found.range, codes::INVALID_OPERAND, message)
                .with_fix(ItemFix::replacement(found.range, "+-").preferred())
        }
        ProblemKind::StringOperand => {
            let message = "a string is no operand; strings stand in directives such as `.pragma` only";
            Problem::error(found.range, codes::INVALID_OPERAND, message)
        }
        ProblemKind::AddressForm => {
            let message = "this is no address; brackets hold a register, a variable or a number, and what is added to it";
            Problem::error(found.range, codes::INVALID_OPERAND, message)
        }
        ProblemKind::FloatOffset => {
            let message = "a float cannot be added to an address; write an integer";
            Problem::error(found.range, codes::INVALID_OPERAND, message)
        }
        ProblemKind::NoArray => {
            let message =
                format!("`{written}` is no array, and has no elements; write an address, `[{written}+4]`");
            Problem::error(found.range, codes::INVALID_OPERAND, message)
        }
        ProblemKind::NameInConstant(name) => {
            let message = format!(
                "`{name}` cannot stand in a constant expression; `WARP_SZ` is the only name that can"
            );
            Problem::error(found.range, codes::INVALID_CONSTANT, message)
        }
    }
}
