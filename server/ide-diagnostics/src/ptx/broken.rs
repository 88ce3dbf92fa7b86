//! Checks of a function that has statements with syntax errors.

use std::iter;

use rustc_hash::FxHashSet;
use warplens_isa::ptx as isa;
use warplens_syntax::{Node, NodePath, Parse, SyntaxError, SyntaxKind};

/// Whether the statements that parse determine the control flow: no statement with an error is a branch, a label or a brace.
pub(super) fn flow_is_known(parse: &Parse) -> bool {
    if parse.errors().is_empty() {
        return true;
    }
    let mut path = NodePath::default();
    let errors = &mut parse.errors().iter();
    errors.all(|error| statement(parse, &mut path, error).is_some_and(|found| goes_on(found, error)))
}

/// The names in statements with syntax errors, which are not reported as unused. `None` if the extent of these
/// statements is unknown.
pub(super) fn names(parse: &Parse) -> Option<FxHashSet<&str>> {
    let mut names = FxHashSet::default();
    if parse.errors().is_empty() {
        return Some(names);
    }
    let mut path = NodePath::default();
    for error in parse.errors() {
        let statement = statement(parse, &mut path, error)?;
        let nodes = iter::once(statement).chain(statement.descendants());
        let idents = nodes.flat_map(|node| node.tokens_of([SyntaxKind::IDENT]));
        names.extend(idents.map(|token| token.text));
    }
    Some(names)
}

/// The statement of a body that contains an error; `None` if the body is not closed, since it may contain other code.
fn statement<'p>(parse: &'p Parse, path: &mut NodePath, error: &SyntaxError) -> Option<Node<'p>> {
    let around: Vec<Node<'_>> = path.around(parse.root(), error.range.start()).collect();
    let is_body = |node: &Node<'_>| matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::CHUNK);
    let body = around.iter().rev().skip(1).position(is_body)?;
    let at = around.len() - 1 - body;
    let mut blocks = around[..=at].iter().filter(|node| node.kind() == SyntaxKind::BLOCK);
    blocks.all(|block| block.last_kind() == Some(SyntaxKind::R_BRACE)).then_some(around[at])
}

/// Whether control reaches the next statement from this one, whatever its error is.
fn goes_on(statement: Node<'_>, error: &SyntaxError) -> bool {
    if error.missing_token() == Some(";") {
        return true;
    }
    match statement.kind() {
        SyntaxKind::VARIABLE | SyntaxKind::LOC_DIRECTIVE | SyntaxKind::PRAGMA_DIRECTIVE => true,
        SyntaxKind::INSTRUCTION => {
            let is_control =
                |opcode: &str| matches!(opcode, "bra" | "brx" | "call" | "ret" | "exit" | "trap");
            let opcode = statement.token(SyntaxKind::IDENT).map(|opcode| opcode.text);
            opcode.is_some_and(|opcode| !is_control(opcode) && !isa::by_opcode(opcode).is_empty())
        }
        _ => false,
    }
}
