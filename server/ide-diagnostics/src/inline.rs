//! Checks of inline PTX: a statement becomes a function of a PTX document, whose problems are mapped back to the host file, and the
//! contract between the host and the template is checked beside it.
//!
//! **Invariant:** where a hole makes the text uncertain, nothing is reported.

mod accesses;
mod allowed;
mod asm_address_space;
mod asm_clobber;
mod asm_comment;
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
mod found;
mod module;
mod placeholders;
mod ptx_problems;
mod ranges;
mod readings;
mod wording;

use warplens_host::Statement;
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Database, Diagnostic, File, placed_items};
use warplens_syntax::ItemKind;

pub use encoding::{encode, placeholder};
use found::About;
pub use found::Found;
pub use module::{Module, add_registers, add_template, header, register, register_type};
pub use placeholders::{Part, PartKind, parts};

use crate::rules::Rules;
use accesses::Accesses;
use allowed::is_allowed;
use braces::Braces;
use ptx_problems::declares;
pub use ptx_problems::mentions;
pub use readings::in_readings;
pub use wording::with_placeholders;

/// Reports the problems of a statement by itself. The text of the file in the database is that of its module.
pub fn check_statement(
    db: &Database,
    file: File,
    text: &str,
    module: &Module,
    statement: &Statement,
) -> Vec<Found> {
    let mut problems = ptx_problems::check(db, file, text, module, statement);
    let mut found = Vec::new();
    asm_operand_index::check(statement, &mut found);
    asm_unused_operand::check(statement, &mut found);
    asm_repeated_operand::check(text, statement, &mut found);
    asm_constraint_type::check_constraints(statement, &mut found);
    asm_comment::check(statement, &mut found);
    asm_clobber::check(statement, &mut found);
    let functions = placed_items(db, file).filter(|(item, _)| item.kind(db) == ItemKind::Function);
    for (item, start) in functions.take(1) {
        let Some(function) = ptx_function(db, item) else { continue };
        let accesses = Accesses::new(&function, usize::from(start), module, statement);
        asm_output_read::check(&accesses, &mut found);
        asm_input_written::check(&accesses, &mut found);
        asm_early_clobber::check(&accesses, &mut found);
        asm_label::check(&accesses, &mut problems);
        asm_address_space::check(text, &accesses, &mut found);
        asm_convergent::check(&accesses, &mut found);
        if !asm_volatile::check(&accesses, &mut found) {
            asm_memory_clobber::check(&accesses, &mut found);
        }
    }
    problems.extend(found.into_iter().map(|diagnostic| Found { diagnostic, about: About::Statement }));
    problems
}

/// Reports the problems of the statements of a file: `found`, those of each by itself, as far as the others leave them, and those that
/// several statements have together.
pub fn check_together<'s>(
    statements: &[Statement],
    modules: impl Iterator<Item = &'s Module> + Clone,
    found: impl Iterator<Item = Found>,
) -> Vec<Diagnostic> {
    let braces = Braces::new(statements.iter().zip(modules.clone().map(|module| &module.unmatched)));
    let is_problem = |found: &Found| match &found.about {
        About::Statement => true,
        About::Undeclared(name) => !statements.iter().any(|statement| declares(statement, name)),
        About::Declared { name, function } => {
            !braces.are_shared(*function) && !statements.iter().any(|statement| mentions(statement, name))
        }
    };
    let mut found: Vec<_> = found.filter(is_problem).map(|found| found.diagnostic).collect();
    let unmatched = statements.iter().zip(modules);
    found.extend(unmatched.filter_map(|(statement, module)| braces.problem(statement, &module.unmatched)));
    asm_cta_group::check(statements, &mut found);
    found
}

/// Removes what the rules and comments of the text switch off, and orders the rest.
pub fn finish(text: &str, rules: &Rules, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut found: Vec<_> = found.into_iter().filter_map(|found| rules.apply(found)).collect();
    found.retain(|found| !is_allowed(text, found));
    found.sort_by_key(|found| (found.range.start(), found.range.end(), found.code));
    found.dedup_by(|next, found| (next.range, next.code) == (found.range, found.code));
    found
}
