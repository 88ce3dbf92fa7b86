//! Diagnostics and lints: the problems of a file, the rules and comments that filter them, and their fixes.
//!
//! [`item`] has the problems of one item, `file` those of a whole file. A diagnostic is a file with the name of its code:
//! `missing-return` is `ptx/missing_return.rs`, with its message, its fix and its tests. If several languages report a code, each
//! has a file for it. Checks that share a traversal keep it in a file of its own, which calls theirs: `ptx/directives.rs` calls
//! `ptx/misplaced_directive.rs`.
//!
//! These files report several codes from one table or one comparison:
//!
//! | file | codes |
//! |---|---|
//! | `item.rs`, of the parser | `syntax-error`, `guarded-block` |
//! | `file.rs` | `too-many-problems` |
//! | `allow.rs` | `invalid-allow` |
//! | `ptx.rs`, of lowering | `unknown-type`, `invalid-alignment`, `invalid-constant`, `invalid-operand`, `duplicate-name` in a function |
//! | `ptx/names.rs` | `duplicate-name` in the module |
//! | `ptx/names/unresolved_name.rs`, `ptx/names/local.rs` | `use-before-declaration` |
//! | `ptx/needs.rs`, `ptx/forms/needs.rs` | `needs-version`, `needs-target`, `removed-form` |
//! | `ptx/forms.rs` | `modifier-order` |
//! | `ptx/instructions.rs` | `unknown-instruction`, `unknown-modifier` |
//! | `ptx/unused.rs` | `unused-label`, `unused-register`, `unused-variable` |
//! | `ptx/forms/modifiers.rs` | `invalid-form`, `missing-modifier`, `modifier-not-allowed`, `repeated-modifier` |
//! | `ptx/forms/operands.rs` | `operand-type`, `operand-count`, `operand-kind`, `vector-length`, `state-space`, `immediate-range` |
//! | `wave_messages.rs`, of `hir::wave` | `unused-cache-hint`, `missing-newline`, `register-index`, `register-beyond-count`, `unknown-special-register`, `float-for-integer`, `missing-scope`, `directive-arguments`, `directive-outside-kernel`, `guard-p0`, `guarded-control`, `result-to-r0`, `unmatched-structure`, `unclosed-structure`, `second-else`, `improper-nesting`, `outside-loop`, `nesting-depth`, `endless-loop`, `missing-halt`, `unwritten-register`, `recursion`, `call-depth`, `ignored-half`, `negative-resource`, `special-operand` |
//! | `wave_messages.rs`, `wave/departures.rs` | `not-in-toolchain`, `toolchain-fault`, `toolchain-spelling` |
//!
//! Fixes that rewrite WAVE in another dialect are in [`wave::dialect`].

mod allow;
pub mod allow_fix;
pub mod codes;
mod context;
pub mod file;
pub mod inline;
pub mod item;
pub mod lints;
mod message;
pub mod ptx;
pub mod rules;
pub mod sass;
pub mod share;
pub mod wave;
pub mod wave_messages;

#[cfg(test)]
mod tests;
