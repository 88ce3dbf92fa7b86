//! WAVE: lexer, item scanner, grammar and typed tree. Both spellings, the guide's and the toolchain's, are one language here.

mod ast_ext;
pub(crate) mod grammar;
pub(crate) mod lexer;
pub(crate) mod scan;
#[cfg(test)]
mod tests;

/// The typed tree.
pub mod ast {
    pub use crate::generated::wave::*;
}

/// Whether a directive opens a kernel. Capitals are wrong, and said to be; they must not move everything after them.
fn is_kernel(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".kernel")
}

/// Whether a directive closes a kernel.
fn is_end(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".end")
}
