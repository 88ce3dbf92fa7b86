//! Checks of PTX.

mod assembler_fault;
mod attributes;
mod beyond_limits;
mod branch_for_predicate;
mod broken;
mod callee_barriers;
mod conflicting_directives;
mod cross_item;
mod cta_groups;
mod cuda_names;
mod declarations;
mod deprecated_form;
mod directive_list;
mod directives;
mod divergence_reason;
mod divergent_barrier;
mod dump_header;
mod flow;
mod forms;
mod ignored_directive;
mod instructions;
mod invalid_alias;
mod invalid_branch;
mod invalid_call;
mod invalid_debug_information;
mod invalid_declaration;
mod invalid_initializer;
mod invalid_value;
mod linkage_clash;
mod memory_limits;
mod merge;
mod misplaced_directive;
mod missing_directive;
mod missing_return;
mod mixed_cta_groups;
mod module_rules;
mod module_scope;
mod names;
mod needs;
mod non_ascii_comment;
mod parameter_access;
mod parameter_without_call;
mod performance;
mod pragmas;
mod prologue;
mod prologue_state;
mod prototype_mismatch;
mod removed_directive;
mod return_in_noreturn;
mod special_registers;
mod statement_ranges;
mod symbols;
mod tables;
mod uniform_promise;
mod unknown_component;
mod unknown_directive;
mod unknown_pragma;
mod unknown_target;
mod unknown_version;
mod unreachable_code;
mod unused;
mod unwritten_carry;
mod unwritten_path;
mod unwritten_result;

use warplens_hir::ptx;
use warplens_hir::ptx::{Function, ProblemKind};
use warplens_ide_db::ptx::{debug_names, module_target, ptx_cfg, ptx_function, ptx_header};
use warplens_ide_db::{Database, Db, Diagnostic, File, Item, ItemFix, Problem, did_you_mean, nearest};

use crate::codes;
use crate::message::message;
use crate::ptx::cross_item::cross_item_uses;
use crate::ptx::forms::externals::is_part_of_variable;

/// What is wrong with an item by itself, beside its syntax. What its module is written for is all that a check may ask
/// of the file: `module_target`.
pub fn check_item<'db>(db: &'db dyn Db, file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    let text = &item.text(db).0;
    let module = module_target(db, file);
    if dump_header::is_header(db, item) {
        // Its syntax errors are one mistake.
        problems.clear();
        return;
    }
    match ptx_function(db, item) {
        Some(function) => {
            db.unwind_if_revision_cancelled();
            declarations::check_function(&function, module, problems);
            performance::check(&function, text, module, problems);
            tables::check(&function, module, problems);
            // Checked with the module, but found while the functions of the group are cached.
            cross_item_uses(db, item.group(db));
            let is_mistake = |found: &&ptx::Problem| {
                found.kind != ProblemKind::PartOfExternal || is_part_of_variable(db, file, &text[found.range])
            };
            let found = function.problems().iter().filter(is_mistake);
            problems.extend(found.map(|found| describe(found, text, Some(&function))));
            instructions::check(db, item, &function, problems);
            unknown_component::check(db, item, &function, problems);
            special_registers::check(&function, module, problems);
            let before = problems.len();
            forms::check(db, file, item, &function, problems);
            merge::by_declaration(&function, problems, before);
            flow::check(db, file, item, &function, problems);
            parameter_without_call::check(&function, problems);
            unused::check(db, file, item, &function, problems);
            assembler_fault::check(&function, text, module, problems);
        }
        None => {
            let header = ptx_header(db, item);
            problems.extend(header.problems.iter().map(|found| describe(found, text, None)));
            declarations::check_module(header, module, problems);
        }
    }
    directives::check(db, item, module, problems);
    non_ascii_comment::check(db, item, text, problems);
}

pub fn check_lints<'db>(db: &'db dyn Db, file: File, item: Item<'db>, found: &mut Vec<Problem>) {
    if let Some(function) = ptx_function(db, item) {
        let cfg = || ptx_cfg(db, file, item, &function);
        branch_for_predicate::check(&function, &item.text(db).0, cfg, || debug_names(db, file), found);
    }
}

pub fn check_module(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut found = names::check(db, file);
    found.extend(dump_header::check(db, file));
    found.extend(prologue::check(db, file));
    found.extend(module_rules::check(db, file));
    found
}

fn describe(found: &ptx::Problem, text: &str, function: Option<&Function>) -> Problem {
    let range = found.range;
    let written = text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    let problem = match found.kind {
        ProblemKind::CutOff(_) => Problem::warning,
        _ => Problem::error,
    }(range, code(&found.kind), message(&found.kind, written));
    match &found.kind {
        ProblemKind::Duplicate { first } => match function {
            Some(function) => problem.with_related(function.symbol(*first).range, "first declared here"),
            None => problem,
        },
        ProblemKind::Declaration(mistake) => {
            problem.with_fix(invalid_declaration::fix(range, *mistake, written))
        }
        ProblemKind::UnknownType(word) => {
            problem.with_fix(nearest_type(word).map(|meant| ItemFix::replacement(range, meant)))
        }
        ProblemKind::SubtractedOffset => problem.with_fix(ItemFix::replacement(range, "+-").preferred()),
        _ => problem,
    }
}

fn code(kind: &ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Duplicate { .. } => codes::DUPLICATE_NAME,
        ProblemKind::Declaration(mistake) => invalid_declaration::code(*mistake),
        ProblemKind::UnknownType(_) => codes::UNKNOWN_TYPE,
        ProblemKind::Alignment(_) => codes::INVALID_ALIGNMENT,
        ProblemKind::DivisionByZero
        | ProblemKind::ConstantTypes
        | ProblemKind::CutOff(_)
        | ProblemKind::NameInConstant(_) => codes::INVALID_CONSTANT,
        _ => codes::INVALID_OPERAND,
    }
}

/// `written` is the text of its range.
fn message(kind: &ProblemKind, written: &str) -> String {
    message!(match kind {
        ProblemKind::Duplicate { .. } => "`{written}` is already declared in this scope; rename one of them";
        ProblemKind::Declaration(mistake) => "{}", invalid_declaration::message(*mistake, written);
        ProblemKind::UnknownType(word) => "`{word}` is not a type{}", did_you_mean(nearest_type(word));
        ProblemKind::Alignment(value) => "the alignment {value} is not a power of two";
        ProblemKind::DivisionByZero => "this constant expression divides by zero";
        ProblemKind::ConstantTypes =>
            "a constant expression cannot mix integers and floats; write both operands as the same kind";
        ProblemKind::CutOff(value) =>
            "this number does not fit into 64 bits; the assembler cuts it off to {value}";
        ProblemKind::OperandExpression =>
            "an operand can add only constants to a name; compute the sum with an instruction";
        ProblemKind::PartOfName | ProblemKind::PartOfExternal =>
            "only registers have parts: `{written}` is not a name, and a name cannot contain `.`";
        ProblemKind::NameInParentheses =>
            "only constants are allowed in parentheses: remove them from `{written}`";
        ProblemKind::SubtractedOffset => "an offset cannot be subtracted from a name; write `+-`";
        ProblemKind::StringOperand =>
            "a string is not an operand; strings are allowed only in directives such as `.pragma`";
        ProblemKind::AddressForm =>
            "this is not an address; write a register, a variable or a number in the brackets, with an optional offset";
        ProblemKind::FloatOffset => "a float cannot be added to an address; write an integer";
        ProblemKind::NoArray => "`{written}` is not an array; write an address, `[{written}+4]`";
        ProblemKind::NameInConstant(name) =>
            "`{name}` is not allowed in a constant expression; `WARP_SZ` is the only name that is";
    })
}

fn nearest_type(word: &str) -> Option<&'static str> {
    nearest(word, warplens_isa::ptx::types().iter().map(|ty| ty.name))
}
