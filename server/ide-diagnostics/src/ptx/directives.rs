//! Finds the directives of an item that need a check, in its tree: those that do not exist, that are misplaced, or that need a
//! newer version of PTX.

use text_size::TextRange;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{Db, Item, Problem, token_covering};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::PragmaScope;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{Node, NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};

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
    let root = parse.root();
    // `.loc` is common in bodies, and allowed there.
    let is_line = root.nodes().any(|node| node.kind() == SyntaxKind::LOC_DIRECTIVE);
    if !is_line && !root.may_contain(&JUDGED) && !root.nodes().flat_map(Node::nodes).any(is_unknown) {
        return;
    }
    let Some(tree) = ast::Item::cast(parse.syntax()) else { return };
    let found = match tree.declaration() {
        Some(ast::Declaration::UnknownDirective(directive)) => {
            judge(directive.directive_token(), IN_MODULES, module)
        }
        Some(ast::Declaration::Function(function)) => {
            return check_function(root, &function, module, problems);
        }
        Some(ast::Declaration::LocDirective(loc)) => misplaced_directive::outside(loc.directive_token()),
        Some(ast::Declaration::PragmaDirective(pragma)) => {
            return pragmas::check(&pragma, PragmaScope::Module, module, problems);
        }
        Some(ast::Declaration::SectionDirective(section)) => gate(section.directive_token(), module)
            .or_else(|| invalid_debug_information::section(&section, module)),
        Some(ast::Declaration::Variable(variable)) => attributes::of_variable(&variable, module),
        Some(ast::Declaration::AliasDirective(alias)) => gate(alias.directive_token(), module),
        Some(ast::Declaration::DwarfDirective(line)) => {
            removed_directive::check("@@DWARF", "use `.section`", line.syntax().text_range(), module)
        }
        _ => None,
    };
    problems.extend(found);
}

/// The nodes that need a check. Most functions have none, and no tree with parents is built for them.
const JUDGED: [SyntaxKind; 9] = [
    SyntaxKind::ADDRESS_SIZE_DIRECTIVE,
    SyntaxKind::ALIAS_DIRECTIVE,
    SyntaxKind::ATTRIBUTE,
    SyntaxKind::DWARF_DIRECTIVE,
    SyntaxKind::FILE_DIRECTIVE,
    SyntaxKind::PRAGMA_DIRECTIVE,
    SyntaxKind::SECTION_DIRECTIVE,
    SyntaxKind::TARGET_DIRECTIVE,
    SyntaxKind::UNKNOWN_DIRECTIVE,
];

fn is_unknown(node: Node<'_>) -> bool {
    node.kind() == SyntaxKind::FUNCTION_DIRECTIVE
        && node.token(SyntaxKind::DOT_WORD).is_none_or(|word| isa::directive(word.text).is_none())
}

fn check_function(
    root: Node<'_>,
    function: &ast::Function,
    module: &ModuleTarget,
    problems: &mut Vec<Problem>,
) {
    problems.extend(attributes::of_function(function, module));
    let directives = function.function_directives();
    problems
        .extend(directives.filter_map(|directive| unknown_directive::check(&directive.directive_token()?)));
    let is_kernel = function.directive_token().is_some_and(|word| word.text() == ".entry");
    for pragma in function.pragma_directives() {
        if is_kernel {
            pragmas::check(&pragma, PragmaScope::Entry, module, problems);
            continue;
        }
        problems.extend(misplaced_directive::pragma_of_function(pragma.directive_token()));
    }
    if let Some(body) =
        root.child(SyntaxKind::FUNCTION).and_then(|function| function.child(SyntaxKind::BLOCK))
    {
        let scope = if is_kernel { PragmaScope::Kernel } else { PragmaScope::Function };
        for found in checked_statements(body) {
            if let Some(statement) = statement(function.syntax(), found.kind(), found.range()) {
                check_statement(&statement, scope, module, problems);
            }
        }
    }
}

/// The statements of a body that are checked, in text order. They are found in the flat tree, because nearly all of the many statements
/// need no check.
fn checked_statements(body: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![body.elements()];
    while let Some(elements) = open.last_mut() {
        match elements.next() {
            Some(NodeOrToken::Node(node)) if matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::CHUNK) => {
                open.push(node.elements());
            }
            Some(NodeOrToken::Node(node)) if is_checked(node) => found.push(node),
            Some(_) => {}
            None => _ = open.pop(),
        }
    }
    found
}

fn is_checked(statement: Node<'_>) -> bool {
    match statement.kind() {
        SyntaxKind::VARIABLE => statement.child(SyntaxKind::ATTRIBUTE).is_some(),
        SyntaxKind::ADDRESS_SIZE_DIRECTIVE
        | SyntaxKind::FILE_DIRECTIVE
        | SyntaxKind::FUNCTION
        | SyntaxKind::PRAGMA_DIRECTIVE
        | SyntaxKind::SECTION_DIRECTIVE
        | SyntaxKind::TARGET_DIRECTIVE
        | SyntaxKind::UNKNOWN_DIRECTIVE => true,
        _ => false,
    }
}

/// A statement in the tree with parents.
fn statement(tree: &SyntaxNode, kind: SyntaxKind, range: TextRange) -> Option<ast::Statement> {
    let first = token_covering(tree, range.start())?;
    let is_same = |other: &SyntaxNode| other.kind() == kind && other.text_range() == range;
    ast::Statement::cast(first.parent_ancestors().find(is_same)?)
}

fn check_statement(
    statement: &ast::Statement,
    scope: PragmaScope,
    module: &ModuleTarget,
    problems: &mut Vec<Problem>,
) {
    let found = match statement {
        ast::Statement::UnknownDirective(directive) => judge(directive.directive_token(), IN_BODIES, module),
        ast::Statement::PragmaDirective(pragma) => {
            pragmas::check(pragma, scope, module, problems);
            None
        }
        ast::Statement::FileDirective(file) => misplaced_directive::inside(file.directive_token()),
        ast::Statement::SectionDirective(section) => misplaced_directive::inside(section.directive_token()),
        ast::Statement::AddressSizeDirective(size) => misplaced_directive::inside(size.directive_token()),
        ast::Statement::TargetDirective(target) => unknown_target::between_statements(target),
        ast::Statement::Variable(variable) => attributes::of_variable(variable, module),
        ast::Statement::Function(prototype) => attributes::of_function(prototype, module),
        _ => None,
    };
    problems.extend(found);
}

/// A directive without a rule in the grammar.
fn judge(word: Option<SyntaxToken>, expected: &str, module: &ModuleTarget) -> Option<Problem> {
    let word = word?;
    match word.text() {
        name if name == expected => gate(Some(word), module),
        name if isa::directive(name).is_none() => unknown_directive::check(&word),
        _ => Some(misplaced_directive::elsewhere(&word)),
    }
}

/// Checks the module's version against the version of the directive.
fn gate(word: Option<SyntaxToken>, module: &ModuleTarget) -> Option<Problem> {
    let word = word?;
    needs::check_directive(word.text_range(), word.text(), module)
}
