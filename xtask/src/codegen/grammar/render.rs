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

/// The typed tree of one language.
pub(super) fn tree(model: &Model) -> String {
    let mut out = String::from(
        "use crate::ast::{AstChildren, AstNode, support};\n\
         use crate::{SyntaxKind, SyntaxKind::*, SyntaxNode, SyntaxToken};\n\n",
    );
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
    let accessors = if accessors.is_empty() { accessors } else { format!("impl {name} {{ {accessors} }}\n") };
    write!(
        out,
        "/// `{rule}`\n#[derive(Debug, Clone, PartialEq, Eq, Hash)]\n\
         pub struct {name} {{ pub(crate) syntax: SyntaxNode }}\n\n{accessors}\n\
         impl AstNode for {name} {{\n\
         fn can_cast(kind: SyntaxKind) -> bool {{ kind == {kind} }}\n\
         fn cast(syntax: SyntaxNode) -> Option<Self> {{\n\
         Self::can_cast(syntax.kind()).then_some(Self {{ syntax }})\n}}\n\
         fn syntax(&self) -> &SyntaxNode {{ &self.syntax }}\n}}\n\n"
    )
    .expect("a string takes all");
}

fn accessor(field: &Field) -> String {
    let Field { method, target, many, nth } = field;
    match target {
        Target::Node(name) if *many => format!(
            "/// Its children that are a [`{name}`].\n\
             pub fn {method}(&self) -> AstChildren<{name}> {{ support::children(&self.syntax) }}\n"
        ),
        Target::Node(name) => {
            let find = if *nth == 0 {
                "support::child(&self.syntax)".to_owned()
            } else {
                format!("support::nth_child(&self.syntax, {nth})")
            };
            format!(
                "/// Its [`{name}`]{}.\npub fn {method}(&self) -> Option<{name}> {{ {find} }}\n",
                ordinal(*nth)
            )
        }
        Target::Token(kinds) => {
            let list = kinds.join(", ");
            let doc = kinds.join("`, `");
            if *many {
                format!(
                    "/// Its tokens of kind `{doc}`.\n\
                     pub fn {method}(&self) -> impl Iterator<Item = SyntaxToken> + use<> {{ \
                     support::tokens(&self.syntax, &[{list}]) }}\n"
                )
            } else {
                format!(
                    "/// Its token of kind `{doc}`.\n\
                     pub fn {method}(&self) -> Option<SyntaxToken> {{ \
                     support::token(&self.syntax, &[{list}]) }}\n"
                )
            }
        }
    }
}

fn ordinal(nth: usize) -> &'static str {
    match nth {
        0 => "",
        1 => " after the first",
        _ => " after the second",
    }
}

fn choice(out: &mut String, choice: &Choice) {
    let Choice { name, rule, nodes, choices } = choice;
    let each =
        |render: &dyn Fn(&String) -> String| -> String { nodes.iter().chain(choices).map(render).collect() };
    let variants = each(&|member| format!("/// A [`{member}`].\n{member}({member}),\n"));
    let can_cast: Vec<_> =
        nodes.iter().chain(choices).map(|member| format!("{member}::can_cast(kind)")).collect();
    let can_cast = can_cast.join(" || ");
    let cast = each(&|member| {
        format!("if {member}::can_cast(kind) {{ return {member}::cast(syntax).map({name}::{member}); }}\n")
    });
    let syntax = each(&|member| format!("{name}::{member}(it) => it.syntax(),\n"));
    let from = each(&|member| {
        format!(
            "impl From<{member}> for {name} {{ fn from(it: {member}) -> Self {{ {name}::{member}(it) }} }}\n\n"
        )
    });
    write!(
        out,
        "/// `{rule}`\n#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub enum {name} {{ {variants} }}\n\n\
         impl AstNode for {name} {{\n\
         fn can_cast(kind: SyntaxKind) -> bool {{ {can_cast} }}\n\
         fn cast(syntax: SyntaxNode) -> Option<Self> {{ let kind = syntax.kind();\n{cast}None }}\n\
         fn syntax(&self) -> &SyntaxNode {{ match self {{ {syntax} }} }}\n}}\n\n{from}"
    )
    .expect("a string takes all");
}
