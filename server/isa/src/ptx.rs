//! PTX: instructions, directives, special registers, types, state spaces, targets and versions.

mod form;
mod instruction;
mod module;
mod numbers;
mod residency;

pub use crate::schema::ptx::*;
pub use crate::schema::ptx_form::*;
pub use crate::schema::ptx_module::*;
pub use instruction::*;
pub use module::*;
pub use numbers::{Inexact, inexact};
pub use residency::{CtaDemand, Residency};

#[cfg(test)]
mod tests;
