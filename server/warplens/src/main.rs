//! The Warplens binary.
fn main() {}
