//! SASS, the machine code of NVIDIA's GPUs, as `cuobjdump`, `nvdisasm` and other tools print it, in whole or
//! in part. Lexer, item scanner, grammar and typed tree.

mod bytes;
mod columns;
mod grammar;
mod lexer;
mod line;
mod scan;
mod statement;
#[cfg(test)]
mod tests;

use crate::language::{Language, LanguageInfo};

pub mod ast {
    pub use crate::generated::sass::*;
}

pub const LANGUAGE: Language = &INFO;

static INFO: LanguageInfo = LanguageInfo {
    id: "cuda-sass",
    title: "SASS",
    extensions: &["sass"],
    shared_ids: &["sass"],
    sniff: columns::is_of_a_listing,
    line_comments: &["//"],
    has_dialects: false,
    assembler: None,
    scan: scan::scan,
    lex: lexer::lex,
    parse_item: grammar::item,
    parse_chunk: None,
};
