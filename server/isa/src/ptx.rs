//! PTX: instructions, directives, special registers, types, state spaces, targets and versions.

mod form;
mod instruction;
mod module;

pub use crate::schema::ptx::*;
pub use crate::schema::ptx_form::*;
pub use crate::schema::ptx_module::*;
pub use instruction::{
    by_opcode, categories, instruction, instructions, is_movable, is_repeatable, modifier, opcodes,
};
pub use module::{
    directive, directives, feature, pragma, pragmas, special_register, special_register_names,
    special_registers, state_space, state_spaces, target, target_options, targets, type_, types, versions,
};

#[cfg(test)]
mod tests;
