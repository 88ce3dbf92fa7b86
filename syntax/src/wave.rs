//! WAVE: lexer, item scanner, grammar and typed tree. Both dialects, the guide's and the toolchain's, share
//! one grammar.

mod chunk;
mod grammar;
mod lexer;
mod scan;
#[cfg(test)]
mod tests;
mod words;

use crate::language::{Language, LanguageInfo};

/// The typed tree: nodes and choices as in `wave.ungram`.
pub mod ast {
    pub use crate::generated::wave::*;
}

pub const LANGUAGE: Language = &INFO;

static INFO: LanguageInfo = LanguageInfo {
    id: "wave-asm",
    title: "WAVE",
    extensions: &["wave"],
    shared_ids: &["wave"],
    sniff: |line| line.split_whitespace().next() == Some(".kernel"),
    line_comments: &[";", "#"],
    has_dialects: true,
    assembler: None,
    scan: scan::scan,
    lex: lexer::lex,
    parse_item: grammar::item,
    parse_chunk: Some(chunk::parse),
};
