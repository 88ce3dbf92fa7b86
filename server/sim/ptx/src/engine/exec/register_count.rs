//! The registers that a warp requests.

/// The last `setmaxnreg` of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterCount {
    pub(crate) count: u32,
    pub(crate) increases: bool,
    pub(crate) statement: u32,
}
