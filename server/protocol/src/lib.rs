//! The formats of the Language Server Protocol: positions in a text, requests and answers, and messages as bytes.
//!
//! Each keystroke converts and encodes all diagnostics of a file, possibly hundreds. This crate is optimized in every build that
//! people run; the rest of the program is too large for that.

pub mod jsonrpc;
pub mod message;
pub mod position;
