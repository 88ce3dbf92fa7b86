//! C, C++ and CUDA: `asm`, `__asm__`, `__asm`, also in the bodies of macros.

mod choices;
mod conditions;
mod launches;
mod lexer;
mod literal;
mod scopes;
mod statement;

use crate::assembly::{Context, is_ptx};
use crate::statement::Statement;
use crate::tokens::{Budget, Kind};
use lexer::Lexer;
use scopes::Scopes;

pub(crate) use launches::launches;

pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut lexer = Lexer::new(text);
    let mut scopes = Scopes::default();
    let mut found = Vec::new();
    let context = context(text);
    let mut budget = Budget::new(text.len());
    while let Some(token) = lexer.next() {
        let word = lexer.text(token);
        if token.kind == Kind::Name && matches!(word, "asm" | "__asm__" | "__asm") {
            let position = scopes.position(&lexer);
            let (statement, read) = statement::parse(&mut lexer, token, position);
            if !budget.spend(|| read) {
                return found;
            }
            if let Some(statement) = statement {
                if is_ptx(&statement.template, statement.dialect, &statement.operands, context) {
                    found.push(statement);
                }
                scopes.after_statement();
                lexer.resume();
            }
            continue;
        }
        scopes.add(&mut lexer, token);
    }
    found
}

/// Words that only code for GPUs has.
fn context(text: &str) -> Context {
    const WORDS: [&str; 8] =
        ["__device__", "__global__", "__CUDA", "threadIdx", "_DEVICE", "CUTE_", "cuda", "__nv"];
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if WORDS.into_iter().any(has) { Context::Gpu } else { Context::Unknown }
}
