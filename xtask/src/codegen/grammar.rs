//! `syntax/*.ungram` and the token tables below -> `syntax/src/generated/`: one `SyntaxKind` for all
//! languages, and a typed tree for each.
//!
//! The tables are the only place where a token kind is named; node kinds come from the grammars. A node
//! name that two grammars use is one kind.

mod model;
mod render;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use ungrammar::Grammar;

use super::{Mode, ensure_file_contents, rust_source};

/// Languages, and so grammars: `syntax/NAME.ungram`, generated into `syntax/src/generated/NAME.rs`.
const LANGUAGES: &[&str] = &["ptx", "wave"];

/// Punctuation of all languages: its text and the name of its kind.
const PUNCTUATION: &[(&str, &str)] = &[
    (";", "SEMICOLON"),
    (",", "COMMA"),
    (":", "COLON"),
    ("(", "L_PAREN"),
    (")", "R_PAREN"),
    ("[", "L_BRACKET"),
    ("]", "R_BRACKET"),
    ("{", "L_BRACE"),
    ("}", "R_BRACE"),
    ("<", "L_ANGLE"),
    (">", "R_ANGLE"),
    ("@", "AT"),
    ("!", "BANG"),
    ("|", "PIPE"),
    ("&", "AMP"),
    ("^", "CARET"),
    ("~", "TILDE"),
    ("+", "PLUS"),
    ("-", "MINUS"),
    ("*", "STAR"),
    ("/", "SLASH"),
    ("%", "PERCENT"),
    ("?", "QUESTION"),
    ("=", "EQ"),
    (".", "DOT"),
    ("_", "UNDERSCORE"),
    ("<<", "SHL"),
    (">>", "SHR"),
    ("<=", "LT_EQ"),
    (">=", "GT_EQ"),
    ("==", "EQ2"),
    ("!=", "NEQ"),
    ("&&", "AMP2"),
    ("||", "PIPE2"),
];

/// The other tokens of all languages: the name in the grammar (upper case: the kind) and what it is.
const TOKENS: &[(&str, &str)] = &[
    ("whitespace", "Spaces, tabs and line endings."),
    ("comment", "A comment, its opening mark included."),
    ("line_mark", "`# 12 \"file.c\"` or `#line 12 \"file.c\"`, up to the line's end."),
    ("dwarf_line", "`@@DWARF ...`, up to the line's end."),
    ("ident", "A name or an opcode."),
    ("dot_word", "`.word`, with its `::` parts: `.reg`, `.s32`, `.shared::cta`."),
    ("general_register", "`r0`, and any other word that begins with `r` and a digit (WAVE)."),
    ("predicate_register", "`p0`, and any other word that begins with `p` and a digit (WAVE)."),
    ("special_name", "`sr_lane_id`, and any other word that begins with `sr_` (WAVE)."),
    ("int_number", "An integer literal."),
    ("float_number", "A floating-point literal, `0f3F800000` and `0d...` included."),
    ("string", "A string literal, with its quotes."),
    ("error_token", "Characters that start no token."),
];

pub(crate) fn run(mode: Mode) -> Result<()> {
    let mut nodes = BTreeSet::new();
    for language in LANGUAGES {
        let path = format!("syntax/{language}.ungram");
        let text = fs::read_to_string(crate::project::project_root().join(&path))
            .with_context(|| format!("cannot read {path}"))?;
        let grammar: Grammar = text.parse().with_context(|| format!("{path} is not an ungrammar"))?;
        let model = model::lower(&grammar).with_context(|| path.clone())?;
        nodes.extend(model.nodes.iter().map(|node| node.kind.clone()));
        let source = rust_source(&path, &render::tree(&model))?;
        ensure_file_contents(&format!("syntax/src/generated/{language}.rs"), &source, mode)?;
    }
    let kinds = rust_source("syntax/*.ungram", &render::kinds(&nodes))?;
    ensure_file_contents("syntax/src/generated/kinds.rs", &kinds, mode)
}
