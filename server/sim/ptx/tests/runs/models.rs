//! Compares instruction results with independent models: integers bit by bit or in 128 bits, floats by exact sums and
//! comparisons, halves by a table of all of them.

mod bits;
mod conversions;
mod halves;
mod harness;
mod integers;
mod singles;
