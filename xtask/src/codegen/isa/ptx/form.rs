//! Reads the forms of instructions, from the lines of `forms` in the notation of data/README.md, and checks them against
//! their entry. `form/text.rs` renders a form for users.

mod length;
mod operand;
mod range;
mod slot;
mod text;

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::brackets::split_head;
use crate::codegen::isa::schema::ptx::Instruction;
use crate::codegen::isa::schema::ptx_form::{
    Availability, Form, FormOperand, FormSpace, OperandType, Requirement,
};
use operand::operands;
use slot::slots;

/// The forms of an entry. `is_type` returns whether a word is a type or state space.
pub(super) fn forms(entry: &Instruction, is_type: impl Fn(&str) -> bool) -> Result<Vec<Form>> {
    let name = entry.opcode().to_owned() + &entry.words.concat();
    let mut heading = Availability::read(&entry.since.to_string())?;
    let mut found = Vec::new();
    for line in entry.form_lines.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let read = match line.strip_prefix('@') {
            _ if line.is_empty() => Ok(()),
            Some(text) => Availability::read(text).map(|read| heading = read),
            None => form(entry, &name, line, &heading).map(|form| found.push(form)),
        };
        read.with_context(|| format!("the form `{line}`"))?;
    }
    for operand in found.iter().flat_map(|form| &form.operands).flat_map(FormOperand::with_inside) {
        let named = match (&operand.ty, &operand.space) {
            (OperandType::Fixed(name) | OperandType::FixedAtLeast(name), _) => name,
            (_, FormSpace::Fixed(name)) if name != "generic" => name,
            _ => continue,
        };
        ensure!(is_type(named), "`{named}` in a form is neither a class, a type nor a state space");
    }
    Ok(found)
}

fn form(entry: &Instruction, name: &str, line: &str, heading: &Availability) -> Result<Form> {
    let (line, removed) = match line.split_once(" until ") {
        Some((line, removed)) => (line, Some(Requirement::read(removed)?)),
        None => (line, None),
    };
    let (line, availability) = match line.split_once(" @ ") {
        Some((line, text)) => (line, Availability::read(text)?),
        None => (line, heading.clone()),
    };
    let (mnemonic, rest) = split_head(line.trim());
    let modifiers =
        mnemonic.strip_prefix(name).with_context(|| format!("it does not start with `{name}`"))?;
    let mut slots = slots(entry, modifiers)?;
    let operands = operands(entry, &slots, rest.trim())?;
    for (index, slot) in slots.iter_mut().enumerate() {
        if !operands.iter().any(|operand| operand.counts(index)) {
            slot.values.iter_mut().for_each(|value| (value.numbers, value.indexes) = (Vec::new(), false));
        }
    }
    Ok(Form { text: text::form(entry, &slots, &operands), slots, operands, availability, removed })
}

#[cfg(test)]
mod tests;
