//! Predicate operands.

use warplens_hir::sass::{Operand, Register, RegisterFile};

use crate::registers::{Condition, DROPPED, Predicate, TRUE, UNIFORM};

pub(super) fn condition(operand: &Operand) -> Option<Condition> {
    let register = operand.register().filter(|register| register.is_predicate())?;
    Some(condition_of(register, operand.not))
}

pub(super) fn condition_of(register: Register, negated: bool) -> Condition {
    Condition { predicate: predicate(register), negated }
}

fn predicate(register: Register) -> Predicate {
    let number = if register.is_constant() { TRUE } else { register.number % TRUE };
    if register.file == RegisterFile::UniformPredicate { UNIFORM + number } else { number }
}

pub(super) fn destination_predicate(operand: &Operand) -> Option<Predicate> {
    let register = operand.register().filter(|register| register.is_predicate() && !operand.not)?;
    Some(if register.is_constant() { DROPPED } else { predicate(register) })
}

/// Whether an operand is a register other than a predicate.
pub(super) fn is_data_register(operand: &Operand) -> bool {
    operand.register().is_some_and(|register| !register.is_predicate())
}

pub(super) fn is_uniform(operand: &Operand) -> bool {
    operand.register().is_some_and(Register::is_uniform)
}
