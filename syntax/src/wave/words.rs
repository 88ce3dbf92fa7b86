//! The directives that structure a file, shared by the item scanner and the grammar.

/// Whether a directive opens a kernel. Upper case is accepted here and reported as an error elsewhere, so
/// that it does not change the items after it.
pub(super) fn is_kernel(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".kernel")
}

/// Whether a directive closes a kernel.
pub(super) fn is_end(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".end")
}
