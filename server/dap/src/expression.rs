//! Expressions over the lanes of a warp: their grammar is in docs/debugging.md.

mod evaluate;
mod parse;

pub(crate) use evaluate::{Lanes, Scope, Value};
pub(crate) use parse::{Expression, ParseError};
