//! Checks of inline PTX: a statement becomes a function of a PTX document, whose problems are mapped back to the host file, and the
//! contract between the host and the template is checked beside it.
//!
//! **Invariant:** where a hole makes the text uncertain, nothing is reported.

mod accesses;
mod allowed;
mod asm_address_space;
mod asm_constraint_type;
mod asm_convergent;
mod asm_cta_group;
mod asm_early_clobber;
mod asm_input_written;
mod asm_label;
mod asm_memory_clobber;
mod asm_operand_index;
mod asm_output_read;
mod asm_repeated_operand;
mod asm_unused_operand;
mod asm_volatile;
mod braces;
mod effects;
mod encoding;
mod module;
mod placeholders;
mod ptx_problems;
mod ranges;

use warplens_host::Statement;
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Database, Diagnostic, File, placed_items};
use warplens_syntax::ItemKind;

pub use encoding::{encode, placeholder};
pub use module::{Function, Module, add_registers, add_template, header, modules, register, register_type};
pub use placeholders::{Part, PartKind, parts};

use crate::rules::Rules;
use accesses::Accesses;
use allowed::is_allowed;
use braces::Braces;

/// Reports the problems of statements that need no PTX document.
#[must_use]
pub fn check_statements(statements: &[Statement]) -> Vec<Diagnostic> {
    let braces = Braces::new(statements);
    let mut found = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        found.extend(braces.problem(statement, index));
        asm_operand_index::check(statement, &mut found);
        asm_unused_operand::check(statement, &mut found);
        asm_repeated_operand::check(statement, &mut found);
        asm_constraint_type::check_constraints(statement, &mut found);
    }
    asm_cta_group::check(statements, &mut found);
    found
}

/// Reports the problems of the statements in a module, whose text is the file.
#[must_use]
pub fn check_module(
    db: &Database,
    file: File,
    text: &str,
    module: &Module,
    statements: &[Statement],
) -> Vec<Diagnostic> {
    let mut found = ptx_problems::check(db, file, text, module, statements);
    let functions = placed_items(db, file).filter(|(item, _)| item.kind(db) == ItemKind::Function);
    for ((item, start), part) in functions.zip(&module.functions) {
        let Some(function) = ptx_function(db, item) else { continue };
        let statement = &statements[part.statement];
        let accesses = Accesses::new(&function, usize::from(start), module, part, statement);
        asm_output_read::check(&accesses, &mut found);
        asm_input_written::check(&accesses, &mut found);
        asm_early_clobber::check(&accesses, &mut found);
        asm_label::check(&accesses, &mut found);
        asm_address_space::check(text, &accesses, &mut found);
        asm_convergent::check(&accesses, &mut found);
        if !asm_volatile::check(&accesses, &mut found) {
            asm_memory_clobber::check(&accesses, &mut found);
        }
    }
    found
}

/// Removes what the rules and comments of the text switch off, and orders the rest.
#[must_use]
pub fn finish(text: &str, rules: &Rules, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut found: Vec<_> = found.into_iter().filter_map(|found| rules.apply(found)).collect();
    found.retain(|found| !is_allowed(text, found));
    found.sort_by_key(|found| (found.range.start(), found.range.end(), found.code));
    found.dedup_by(|next, found| (next.range, next.code) == (found.range, found.code));
    found
}
