//! The outside of a module item.

use smol_str::SmolStr;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, NodeOrToken, Token};

use super::super::{
    AddressSize, Constant, Declaration, DeclarationKind, Directive, Header, ModuleUse, Target, Version,
};
use super::declaration::{self, Shape};
use super::literal;
use super::rules::DeclarationSite;

impl Header {
    /// Lowers the outside of any module item, and the declarations in its body.
    /// `warplens_syntax::ptx::outside` cuts out the text that this needs.
    pub fn lower(item: Node<'_>) -> Header {
        let Some(node) = item.nodes().find(|node| node.kind() != ERROR) else { return Header::default() };
        match node.kind() {
            VARIABLE => variables(node),
            FUNCTION => function(node),
            ALIAS_DIRECTIVE => alias(node),
            SECTION_DIRECTIVE => section(node),
            _ => Header { directive: directive(node), ..Header::default() },
        }
    }
}

fn variables(node: Node<'_>) -> Header {
    let mut problems = Vec::new();
    let shape = Shape::of(node, DeclarationSite::Module, &mut problems);
    let mut declarations = Vec::new();
    let mut uses = Vec::new();
    for declarator in node.nodes().filter(|node| node.kind() == DECLARATOR) {
        let variable = Box::new(shape.variable(node, declarator, DeclarationSite::Module, &mut problems));
        if let Some(name) = declaration::declared_name(declarator) {
            declarations.push(declared(name, DeclarationKind::Variable(variable)));
        }
        if let Some(initializer) = declarator.child(INITIALIZER).filter(|_| !shape.is_opaque()) {
            uses.extend(declaration::symbols(initializer).into_iter().map(used));
        }
    }
    Header {
        declarations: declarations.into(),
        uses: uses.into(),
        directive: None,
        problems: problems.into(),
    }
}

fn function(node: Node<'_>) -> Header {
    // The problems of the outside are reported with the function itself.
    let outside = declaration::function(node, &mut Vec::new());
    let kind = DeclarationKind::Function {
        kind: outside.kind,
        linkage: outside.linkage,
        has_body: outside.has_body,
        signature: Box::new(outside.signature),
    };
    let mut declarations = Vec::from_iter(outside.name.map(|name| declared(name, kind)));
    if let Some(body) = node.child(BLOCK) {
        declarations_inside(body, &mut declarations);
    }
    Header { declarations: declarations.into(), ..Header::default() }
}

/// Prototypes and aliases between the statements of a body. From there on they belong to the module.
fn declarations_inside(body: Node<'_>, declarations: &mut Vec<Declaration>) {
    let mut open = vec![body.elements()];
    while let Some(elements) = open.last_mut() {
        match elements.next() {
            Some(NodeOrToken::Node(node)) => match node.kind() {
                BLOCK | CHUNK => open.push(node.elements()),
                FUNCTION => declarations.extend(function(node).declarations),
                ALIAS_DIRECTIVE => declarations.extend(alias(node).declarations),
                _ => {}
            },
            Some(NodeOrToken::Token(_)) => {}
            None => {
                open.pop();
            }
        }
    }
}

fn alias(node: Node<'_>) -> Header {
    let mut names = node.nodes().filter(|node| node.kind() == NAME_REF).filter_map(|node| node.token(IDENT));
    let (Some(alias), Some(target)) = (names.next(), names.next()) else { return Header::default() };
    let kind = DeclarationKind::Alias { target: target.text.into() };
    Header {
        declarations: [declared(alias, kind)].into(),
        uses: [used(target)].into(),
        directive: Some(Directive::Other("alias".into())),
        problems: Box::default(),
    }
}

/// The labels of a section are names that `.loc` may use.
fn section(node: Node<'_>) -> Header {
    let labels = node.nodes().filter(|node| node.kind() == LABEL).filter_map(declaration::declared_name);
    Header {
        declarations: labels.map(|label| declared(label, DeclarationKind::SectionLabel)).collect(),
        directive: directive(node),
        ..Header::default()
    }
}

fn directive(node: Node<'_>) -> Option<Directive> {
    let keyword = node.token(DOT_WORD)?;
    Some(match node.kind() {
        VERSION_DIRECTIVE => Directive::Version(node.token(FLOAT_NUMBER).and_then(version)),
        TARGET_DIRECTIVE => {
            let mut words = node.tokens_of([IDENT]);
            let place = |token: Token<'_>| (SmolStr::new(token.text), token.range());
            Directive::Target(Target {
                architecture: words.next().map(place),
                options: words.map(place).collect(),
            })
        }
        ADDRESS_SIZE_DIRECTIVE => Directive::AddressSize(match number(node) {
            Some(32) => Some(AddressSize::Bits32),
            Some(64) => Some(AddressSize::Bits64),
            _ => None,
        }),
        FILE_DIRECTIVE => Directive::File {
            index: number(node),
            path: node.token(STRING).map(unquoted).unwrap_or_default(),
        },
        PRAGMA_DIRECTIVE => Directive::Pragma(node.tokens_of([STRING]).map(unquoted).collect()),
        _ => Directive::Other(keyword.word().into()),
    })
}

fn version(token: Token<'_>) -> Option<Version> {
    let (major, minor) = token.text.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

fn number(node: Node<'_>) -> Option<u64> {
    node.token(INT_NUMBER).map(|token| literal::integer(token.text)).and_then(Constant::as_integer)
}

fn unquoted(token: Token<'_>) -> SmolStr {
    token.text.trim_matches('"').into()
}

fn declared(name: Token<'_>, kind: DeclarationKind) -> Declaration {
    Declaration { name: name.text.into(), name_range: name.range(), kind }
}

fn used(name: Token<'_>) -> ModuleUse {
    ModuleUse { name: name.text.into(), range: name.range() }
}
