//! The directives that structure a file; the item scanner and the grammar share them.

/// Whether a directive opens a kernel. Upper case is reported as an error elsewhere; it must not change the items after it.
pub(super) fn is_kernel(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".kernel")
}

/// Whether a directive closes a kernel.
pub(super) fn is_end(directive: &str) -> bool {
    directive.eq_ignore_ascii_case(".end")
}
