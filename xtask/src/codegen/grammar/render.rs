//! Renders the model as Rust source.

use std::collections::BTreeSet;

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

    syntax_kind(&variants) + &token_macro()
}

/// The enum, from the names of its variants and their descriptions.
fn syntax_kind(variants: &[(String, String)]) -> String {
    let mut out = String::from(
        "/// The kind of a token or node, in any of the languages.\n\
         #[allow(non_camel_case_types)]\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(u16)]\n\
         pub enum SyntaxKind {\n",
    );
    for (kind, doc) in variants {
        out += &format!("/// {doc}\n{kind},\n");
    }
    out.push_str("}\n\nuse SyntaxKind::*;\n\nconst ALL: &[SyntaxKind] = &[\n");
    for (kind, _) in variants {
        out += &format!("{kind},\n");
    }
    out.push_str(
        "];\n\nimpl SyntaxKind {\n\
         /// The kind whose number this is.\n///\n/// # Panics\n///\n/// If there is none.\n\
         pub fn from_raw(raw: u16) -> SyntaxKind { ALL[usize::from(raw)] }\n\n\
         /// Whether the parser sees no token of this kind: white space, comments, line marks, and\n\
         /// characters that the lexer has already reported.\n\
         pub fn is_trivia(self) -> bool { matches!(self, WHITESPACE | COMMENT | LINE_MARK | ERROR_TOKEN) }\n}\n\n",
    );
    out
}

fn token_macro() -> String {
    let mut out = String::from(
        "/// The kind of a token by how it is written: `T![;]`, `T!['{']`, `T![ident]`.\n\
         #[macro_export]\nmacro_rules! T {\n",
    );
    for (text, kind) in PUNCTUATION {
        let pattern = if "()[]{}_".contains(text) { format!("'{text}'") } else { (*text).to_owned() };
        out += &format!("[{pattern}] => {{ $crate::SyntaxKind::{kind} }};\n");
    }
    for (name, _) in TOKENS {
        out += &format!("[{name}] => {{ $crate::SyntaxKind::{} }};\n", name.to_uppercase());
    }
    out.push_str("}\n");
    out
}

/// The typed tree of one language: calls of the macros in `syntax/src/ast.rs`.
pub(super) fn tree(model: &Model) -> String {
    let mut out =
        String::from("use crate::ast::{ast_enum, ast_node};\nuse crate::{SyntaxKind::*, SyntaxToken};\n\n");
    for Node { name, kind, rule, fields } in &model.nodes {
        let accessors: String = fields.iter().map(accessor).collect();
        out += &format!("ast_node! {{\n    /// `{rule}`\n    {name} = {kind} {{\n{accessors}    }}\n}}\n\n");
    }
    for Choice { name, rule, nodes, choices } in &model.choices {
        let members = [&nodes[..], choices].concat().join(", ");
        out += &format!("ast_enum! {{\n    /// `{rule}`\n    {name} = {members}\n}}\n\n");
    }
    out
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
