//! PTX: instructions, directives, special registers, types, state spaces, targets and versions.

mod directive;
mod form;
mod instruction;
mod modifier;
mod operand;
mod special_register;
mod target;
mod types;

pub use directive::{
    Directive, Feature, Holder, MissingRequirement, Pragma, directive, directives, feature, pragma, pragmas,
};
pub use form::{
    Availability, Bound, Form, FormOperand, FormSpace, Length, OperandType, Presence, Product, Range,
    Requirement, Slot, Step, TargetRequirement, Value,
};
pub use instruction::{
    Example, Instruction, Measured, Status, by_opcode, categories, instruction, instructions, opcodes,
};
pub use modifier::{Modifier, ModifierClass, is_movable, is_repeatable, modifier};
pub use operand::{Operand, OperandKind};
pub use special_register::{
    Scope, SpecialRegister, special_register, special_register_names, special_registers,
};
pub use target::{Limits, Release, Target, TargetOption, target, target_options, targets, versions};
pub use types::{SpacePart, StateSpace, Type, TypeKind, state_space, state_spaces, type_, types};

#[cfg(test)]
mod tests;
