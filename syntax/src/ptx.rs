//! PTX: lexer, grammar, item scanner, and the typed tree.

/// The typed tree: nodes and choices as in `ptx.ungram`.
pub mod ast {
    pub use crate::generated::ptx::*;
}

mod chunk;
mod grammar;
mod lexer;
mod outside;
mod scan;
mod words;

pub use outside::outside;

use crate::language::{Language, LanguageInfo};

pub const LANGUAGE: Language = &INFO;

static INFO: LanguageInfo = LanguageInfo {
    id: "ptx",
    title: "PTX",
    extensions: &["ptx"],
    shared_ids: &[],
    sniff: |line| line.split_whitespace().next() == Some(".version"),
    line_comments: &["//"],
    has_dialects: false,
    assembler: Some("ptxas"),
    scan: scan::scan,
    lex: lexer::lex,
    parse_item: grammar::item,
    parse_chunk: Some(chunk::parse),
};
