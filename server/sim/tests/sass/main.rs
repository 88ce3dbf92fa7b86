//! Listings of machine code, run.

mod common;

mod exec;
