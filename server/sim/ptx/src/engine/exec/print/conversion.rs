//! A conversion of a format string.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversion {
    pub(super) pads_right: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternate: bool,
    pub(super) zeros: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
    pub(super) bytes: u32,
    pub(super) kind: u8,
}
