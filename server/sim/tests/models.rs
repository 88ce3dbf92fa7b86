//! Results of instructions, compared with independent models: integers bit by bit or in 128 bits, floats by exact sums and
//! comparisons, halves by a table of all of them.

mod common;
mod models {
    pub(crate) mod bits;
    pub(crate) mod conversions;
    pub(crate) mod halves;
    pub(crate) mod harness;
    pub(crate) mod integers;
    pub(crate) mod singles;
}
