//! Finds the directives of an item that need a check, in its tree: those that do not exist, that are misplaced, or that need a
//! newer version of PTX.

use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{Db, Item, Problem};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::PragmaScope;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, SyntaxKind, Token};

use crate::ptx::{
    attributes, invalid_debug_information, misplaced_directive, needs, pragmas, removed_directive,
    unknown_directive, unknown_target,
};

/// A directive that is allowed between statements, although the grammar does not have it.
const IN_BODIES: &str = ".loc_intermediate";
/// A directive that is allowed in a module, although the grammar does not have it.
const IN_MODULES: &str = ".nv_intermediate_source_section";

pub(super) fn check(db: &dyn Db, item: Item<'_>, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let parse = item.parse(db);
    let Some(declaration) = parse.root().nodes().find(|node| node.kind() != ERROR) else { return };
    let word = declaration.token(DOT_WORD);
    problems.extend(match declaration.kind() {
        FUNCTION => return check_function(declaration, module, problems),
        PRAGMA_DIRECTIVE => return pragmas::check(declaration, PragmaScope::Module, module, problems),
        UNKNOWN_DIRECTIVE => judge(word, IN_MODULES, module),
        LOC_DIRECTIVE => misplaced_directive::outside(word),
        SECTION_DIRECTIVE => {
            gate(word, module).or_else(|| invalid_debug_information::section(declaration, module))
        }
        VARIABLE => attributes::of_variable(declaration, module),
        ALIAS_DIRECTIVE => gate(word, module),
        DWARF_DIRECTIVE => removed_directive::check("@@DWARF", "use `.section`", declaration.range(), module),
        _ => None,
    });
}

fn check_function(function: Node<'_>, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    problems.extend(attributes::of_function(function, module));
    let is_kernel = function.token(DOT_WORD).is_some_and(|word| word.text == ".entry");
    for directive in function.nodes() {
        let word = || directive.token(DOT_WORD);
        match directive.kind() {
            FUNCTION_DIRECTIVE => problems.extend(word().and_then(unknown_directive::check)),
            PRAGMA_DIRECTIVE if is_kernel => {
                pragmas::check(directive, PragmaScope::Entry, module, problems);
            }
            PRAGMA_DIRECTIVE => problems.extend(misplaced_directive::pragma_of_function(word())),
            BLOCK if directive.may_contain(&CHECKED) => {
                let scope = if is_kernel { PragmaScope::Kernel } else { PragmaScope::Function };
                check_statements(directive, scope, module, problems);
            }
            _ => {}
        }
    }
}

/// What `check_statements` may report. Few of the functions with many statements contain any of it.
const CHECKED: [SyntaxKind; 7] = [
    ADDRESS_SIZE_DIRECTIVE,
    ATTRIBUTE,
    FILE_DIRECTIVE,
    PRAGMA_DIRECTIVE,
    SECTION_DIRECTIVE,
    TARGET_DIRECTIVE,
    UNKNOWN_DIRECTIVE,
];

fn check_statements(block: Node<'_>, scope: PragmaScope, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for statement in block.nodes() {
        let word = || statement.token(DOT_WORD);
        let found = match statement.kind() {
            BLOCK | CHUNK => {
                check_statements(statement, scope, module, problems);
                None
            }
            PRAGMA_DIRECTIVE => {
                pragmas::check(statement, scope, module, problems);
                None
            }
            UNKNOWN_DIRECTIVE => judge(word(), IN_BODIES, module),
            FILE_DIRECTIVE | SECTION_DIRECTIVE | ADDRESS_SIZE_DIRECTIVE => {
                misplaced_directive::inside(word())
            }
            TARGET_DIRECTIVE => unknown_target::between_statements(statement),
            VARIABLE => attributes::of_variable(statement, module),
            FUNCTION => attributes::of_function(statement, module),
            _ => None,
        };
        problems.extend(found);
    }
}

/// A directive without a rule in the grammar.
fn judge(word: Option<Token<'_>>, expected: &str, module: &ModuleTarget) -> Option<Problem> {
    let word = word?;
    match word.text {
        name if name == expected => gate(Some(word), module),
        name if isa::directive(name).is_none() => unknown_directive::check(word),
        _ => Some(misplaced_directive::elsewhere(word)),
    }
}

/// Checks the module's version against the version of the directive.
fn gate(word: Option<Token<'_>>, module: &ModuleTarget) -> Option<Problem> {
    let word = word?;
    needs::check_directive(word.range(), word.text, module)
}
