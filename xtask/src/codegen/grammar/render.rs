//! Renders the model as Rust source.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::model::{Choice, Field, Model, Node, Target};
use super::tokens::{PUNCTUATION, TOKENS};

/// `SyntaxKind` and `T![..]`.
pub(super) fn kinds(nodes: &BTreeSet<String>) -> String {
    let mut variants: Vec<(String, String)> = vec![
        (
            "EOF".into(),
            "The end of the text: what a parser sees after the last token; never in a tree.".into(),
        ),
        ("TOMBSTONE".into(), "A node that the parser took back; never in a tree.".into()),
    ];
    for (text, kind) in PUNCTUATION {
        variants.push(((*kind).into(), format!("`{text}`")));
    }
    for (name, doc) in TOKENS {
        variants.push((name.to_uppercase(), (*doc).into()));
    }
    variants.push(("ERROR".into(), "A node around text that fits no rule.".into()));
    for node in nodes {
        variants.push((node.clone(), format!("Node `{node}`; see the grammars.")));
    }

    let mut out = String::from(
        "/// The kind of a token or node, in any of the languages.\n\
         #[allow(non_camel_case_types)]\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\n\
         pub enum SyntaxKind {\n",
    );
    for (kind, doc) in &variants {
        writeln!(out, "/// {doc}\n{kind},").expect("a string takes all");
    }
    out.push_str("}\n\nuse SyntaxKind::*;\n\nconst ALL: &[SyntaxKind] = &[\n");
    for (kind, _) in &variants {
        writeln!(out, "{kind},").expect("a string takes all");
    }
    out.push_str(
        "];\n\nimpl SyntaxKind {\n\
         /// The kind whose number this is.\n///\n/// # Panics\n///\n/// If there is none.\n\
         pub fn from_raw(raw: u16) -> SyntaxKind { ALL[usize::from(raw)] }\n\n\
         /// Whether the parser sees no token of this kind: white space, comments, line marks, and\n\
         /// characters that the lexer has already reported.\n\
         pub fn is_trivia(self) -> bool { matches!(self, WHITESPACE | COMMENT | LINE_MARK | ERROR_TOKEN) }\n}\n\n",
    );
    out.push_str(
        "/// The kind of a token by how it is written: `T![;]`, `T!['{']`, `T![ident]`.\n\
         #[macro_export]\nmacro_rules! T {\n",
    );
    for (text, kind) in PUNCTUATION {
        let pattern = if "()[]{}_".contains(text) { format!("'{text}'") } else { (*text).to_owned() };
        writeln!(out, "[{pattern}] => {{ $crate::SyntaxKind::{kind} }};").expect("a string takes all");
    }
    for (name, _) in TOKENS {
        writeln!(out, "[{name}] => {{ $crate::SyntaxKind::{} }};", name.to_uppercase())
            .expect("a string takes all");
    }
    out.push_str("}\n");
    out
}

/// The typed tree of one language: calls of the macros in `syntax/src/ast.rs`.
pub(super) fn tree(model: &Model) -> String {
    let mut out =
        String::from("use crate::ast::{ast_enum, ast_node};\nuse crate::{SyntaxKind::*, SyntaxToken};\n\n");
    for item in &model.nodes {
        node(&mut out, item);
    }
    for item in &model.choices {
        choice(&mut out, item);
    }
    out
}

fn node(out: &mut String, node: &Node) {
    let Node { name, kind, rule, fields } = node;
    let accessors: String = fields.iter().map(accessor).collect();
    write!(out, "ast_node! {{\n    /// `{rule}`\n    {name} = {kind} {{\n{accessors}    }}\n}}\n\n")
        .expect("a string takes all");
}

fn accessor(field: &Field) -> String {
    let Field { method, target, many, nth } = field;
    let finder = match target {
        Target::Node(name) if *many => format!("children {name}"),
        Target::Node(name) => format!("child {name} {nth}"),
        Target::Token(kinds) => {
            format!("{} [{}]", if *many { "tokens" } else { "token" }, kinds.join(", "))
        }
    };
    format!("        {method}: {finder},\n")
}

fn choice(out: &mut String, choice: &Choice) {
    let Choice { name, rule, nodes, choices } = choice;
    let members: Vec<&str> = nodes.iter().chain(choices).map(String::as_str).collect();
    let members = members.join(", ");
    write!(out, "ast_enum! {{\n    /// `{rule}`\n    {name} = {members}\n}}\n\n")
        .expect("a string takes all");
}
