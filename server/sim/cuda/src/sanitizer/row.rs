//! Rows: words that eight lanes access together.

/// The offsets in shared memory of the words that eight lanes load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRow {
    /// All lanes load the word at this offset.
    Same(u64),
    /// The lowest lane loads the word at this offset, each further lane the next word.
    Consecutive(u64),
}
