//! What is promised about numbers that are not determined to the bit.

/// What is promised about the result of an instruction that is neither exact nor rounded as IEEE 754 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// It is an approximation with this error.
    Within(&'static str),
    /// It is an approximation with this error, from which later instructions may compute a result that is rounded correctly.
    Estimate(&'static str),
    /// It is one of several results, for this reason.
    Open(&'static str),
}
