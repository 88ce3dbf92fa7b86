//! Checks of a function that has statements with syntax errors.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use warplens_ide_db::token_covering;
use warplens_isa::ptx as isa;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{Parse, SyntaxError, SyntaxKind, SyntaxNode};

/// Whether the statements that parse determine the control flow: no statement with an error is a branch, a label or a brace.
pub(super) fn flow_is_known(parse: &Parse) -> bool {
    if parse.errors().is_empty() {
        return true;
    }
    let tree = parse.syntax();
    parse.errors().iter().all(|error| statement(&tree, error).is_some_and(|found| goes_on(&found, error)))
}

/// The names in statements with syntax errors, which are not reported as unused. `None` if the extent of these
/// statements is unknown.
pub(super) fn names(parse: &Parse) -> Option<FxHashSet<SmolStr>> {
    let mut names = FxHashSet::default();
    if parse.errors().is_empty() {
        return Some(names);
    }
    let tree = parse.syntax();
    for error in parse.errors() {
        let tokens = statement(&tree, error)?.descendants_with_tokens();
        let tokens = tokens.filter_map(|element| element.into_token());
        names.extend(
            tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| SmolStr::new(token.text())),
        );
    }
    Some(names)
}

/// The statement of a body that contains an error; `None` if the body is not closed, since it may contain other code.
fn statement(tree: &SyntaxNode, error: &SyntaxError) -> Option<SyntaxNode> {
    let token = token_covering(tree, error.range.start())?;
    let is_body = |node: &SyntaxNode| matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::CHUNK);
    let statement =
        token.parent_ancestors().find(|node| node.parent().is_some_and(|parent| is_body(&parent)))?;
    let mut around = statement.ancestors().filter(|node| node.kind() == SyntaxKind::BLOCK);
    let is_closed =
        |block: SyntaxNode| block.last_token().is_some_and(|token| token.kind() == SyntaxKind::R_BRACE);
    around.all(is_closed).then_some(statement)
}

/// Whether control reaches the next statement from this one, whatever its error is.
fn goes_on(statement: &SyntaxNode, error: &SyntaxError) -> bool {
    if error.missing_token() == Some(";") {
        return true;
    }
    match statement.kind() {
        SyntaxKind::VARIABLE | SyntaxKind::LOC_DIRECTIVE | SyntaxKind::PRAGMA_DIRECTIVE => true,
        SyntaxKind::INSTRUCTION => {
            let opcode = ast::Instruction::cast(statement.clone()).and_then(|found| found.opcode_token());
            let is_control =
                |opcode: &str| matches!(opcode, "bra" | "brx" | "call" | "ret" | "exit" | "trap");
            opcode
                .is_some_and(|opcode| !is_control(opcode.text()) && !isa::by_opcode(opcode.text()).is_empty())
        }
        _ => false,
    }
}
