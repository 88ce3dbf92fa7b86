//! Hovers of SASS.

mod control;
mod note;
mod place;
mod register;
mod value;

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::sass::{
    Address, Constant, Counts, FlowGraph, Function, Immediate, Liveness, Operand, RegisterFile, Value,
    barrier, is_padding, joins, sequence_at,
};
use warplens_ide_db::FilePosition;
use warplens_ide_db::sass::{
    constructs, facts_of, parameters_in, ptx_files, ptx_parameters, sass_code, target_of,
};
use warplens_isa::sass as isa;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::language::SourceHover;
use crate::sass::explain;

const FLAGS: &str = "**`CC`** · the condition code of each lane: zero, sign, carry and overflow of the last result that wrote \
    it; a NaN sets zero and sign.";

/// The hover that the kernel's PTX makes more precise.
pub(super) const WITH_PTX: SourceHover =
    SourceHover { extension: "ptx", files, hover: |position, ptx| hover_with(position, Some(ptx)) };

pub(super) fn hover(position: &FilePosition<'_>) -> Option<(TextRange, String)> {
    hover_with(position, None)
}

/// The PTX files that the listing names, for a position at a launch constant; `None` elsewhere, and if the listing
/// contains its PTX.
fn files(position: &FilePosition<'_>) -> Option<Vec<SmolStr>> {
    let code = sass_code(position.db, position.item);
    let at = position.token()?.text_range();
    let function = code.functions.iter().find(|function| function.instruction_at(at.start()).is_some())?;
    let instruction = &function.instructions[function.instruction_at(at.start())?];
    let is_constant =
        |operand: &Operand| operand.range.contains_range(at) && matches!(operand.value, Value::Constant(_));
    let name = function.name.as_ref()?.text.as_str();
    let is_unnamed = || ptx_parameters(position.db, position.file, name).is_empty();
    let is_wanted = function.operands(instruction).iter().any(is_constant) && is_unnamed();
    is_wanted.then(|| ptx_files(&position.item.text(position.db).0))
}

/// The hover. Kernel parameters are named as in the given PTX, or else as in the PTX of the listing.
fn hover_with(position: &FilePosition<'_>, ptx: Option<&str>) -> Option<(TextRange, String)> {
    let code = sass_code(position.db, position.item);
    let token = position.token()?;
    let range = token.text_range();
    for function in &code.functions {
        let here = Here { position, function, ptx };
        if let Some(index) = constructs::of_encoding(function, range) {
            return Some((range, control::page(function, index)?));
        }
        let Some(index) = function.instruction_at(range.start()) else { continue };
        if let Some(found) = here.in_instruction(index, &token) {
            return Some(found);
        }
    }
    outside(position, &token)
}

/// A function, and the position in it.
struct Here<'p> {
    position: &'p FilePosition<'p>,
    function: &'p Function,
    ptx: Option<&'p str>,
}

impl Here<'_> {
    fn in_instruction(&self, index: usize, token: &SyntaxToken) -> Option<(TextRange, String)> {
        let (function, range) = (self.function, token.text_range());
        let instruction = &function.instructions[index];
        if instruction.opcode_range == range {
            return Some((range, self.opcode(index)));
        }
        if token.kind() == SyntaxKind::NOTE {
            return Some((range, note::page(token.text())?));
        }
        if instruction.address_range == Some(range) {
            let page = control::page(function, index);
            return Some((range, page.unwrap_or_else(|| place::address(function, index))));
        }
        if let Some(modifier) =
            function.modifiers(instruction).iter().find(|word| range.contains_range(word.range))
        {
            let entry = isa::opcode(&instruction.opcode)?;
            let page = explain::modifier(entry, &modifier.text, joins(function, instruction));
            return Some((range, page));
        }
        if let Some(guard) = instruction.guard.filter(|guard| guard.range.contains_range(range)) {
            if guard.register.is_constant() {
                let lanes = if guard.negated { "No lane executes" } else { "All lanes execute" };
                let page = register::constant(guard.register);
                return Some((guard.range, format!("{page}\n\n{lanes} the instruction.")));
            }
            return Some((guard.range, register::page(function, index, guard.range)?));
        }
        let operand =
            function.operands(instruction).iter().find(|operand| operand.range.contains_range(range))?;
        if token.kind() == SyntaxKind::DOT_WORD
            && let Some(page) = suffix(&operand.value, token.text())
        {
            return Some((range, page));
        }
        if let Some(page) = place::target(self.position, function, index, operand) {
            return Some((operand.range, page));
        }
        let page = self.operand(index, operand, token)?;
        // In an address, each register has its own page, and so has the number beside a register.
        let is_part = match operand.value {
            Value::Address(_) => true,
            Value::RegisterTarget(_) => is_of_number(token),
            _ => false,
        };
        Some((if is_part { range } else { operand.range }, page))
    }

    fn operand(&self, index: usize, operand: &Operand, token: &SyntaxToken) -> Option<String> {
        let (function, range) = (self.function, token.text_range());
        Some(match &operand.value {
            Value::Register(register) if register.file == RegisterFile::Barrier => {
                place::region(function, index)?
            }
            Value::Register(register) if register.file == RegisterFile::Scoreboard => {
                format!("**`{register}`** · scoreboard: it is set while results are pending.")
            }
            Value::Special(name) => explain::special_register(isa::special_register(name)?),
            Value::UnknownTest(name) => format!("`CC.{name}` is not a test of the condition code."),
            Value::Absolute(address) => value::immediate(function, index, Immediate::Integer(*address)),
            Value::Relative(offset) => {
                let number = value::immediate(function, index, Immediate::Integer(*offset));
                format!("{number}\n\nCounted from the next instruction.")
            }
            Value::RegisterTarget(target) => {
                let number = value::offset(target.offset, 24);
                if is_of_number(token) {
                    return Some(number);
                }
                let register = register::operand(function, index, target.range, target.register, operand)?;
                format!("{register}\n\nPlus {number}")
            }
            Value::Register(register) => register::operand(function, index, range, *register, operand)?,
            Value::Address(address) => self.address(index, address, token)?,
            Value::Flags => FLAGS.to_owned(),
            Value::Condition(condition) => explain::explain(&format!("CC.{}", condition.name()))?,
            Value::Immediate(immediate) => value::immediate(function, index, *immediate),
            Value::Constant(constant) if token.kind() != SyntaxKind::IDENT || token.text() == "c" => {
                register::with_operators(self.constant(constant)?, operand)
            }
            Value::Word(word) => explain::word(word)?,
            _ => register::page(function, index, range)?,
        })
    }

    fn constant(&self, constant: &Constant) -> Option<String> {
        let function = self.function;
        let facts = facts_of(self.position.db, self.position.file, function);
        let target = target_of(self.position.db, self.position.item, function);
        let name = function.name.as_ref().map_or("", |name| name.text.as_str());
        let names = match self.ptx {
            Some(ptx) => parameters_in(ptx, name),
            None => ptx_parameters(self.position.db, self.position.file, name),
        };
        let target = target.map(|target| target.number);
        value::constant(function, &facts, target, constant, &names)
    }

    /// A part of an address: the word before it, a register, a number.
    fn address(&self, index: usize, address: &Address, token: &SyntaxToken) -> Option<String> {
        let function = self.function;
        if token.text() == address.prefix.as_str() {
            let word = explain::word(&address.prefix)?;
            let role = value::role_in_product(function, index, token.text_range());
            return Some(role.map_or(word.clone(), |role| format!("{word}\n\n{role}")));
        }
        if is_of_number(token) {
            return Some(value::offset(address.offset, 24));
        }
        let term = address.terms.iter().find(|term| term.range == token.text_range());
        let constant = term.filter(|term| term.register.is_constant());
        match constant {
            Some(term) => Some(register::constant(term.register)),
            None => register::page(function, index, token.text_range()),
        }
    }

    /// The page of an opcode: the sequence that starts here, what the instruction does, and what the listing shows
    /// about this statement.
    fn opcode(&self, index: usize) -> String {
        let function = self.function;
        let instruction = &function.instructions[index];
        let modifiers: Vec<&str> =
            function.modifiers(instruction).iter().map(|word| word.text.as_str()).collect();
        let mut parts = Vec::new();
        if let Some(sequence) = sequence_at(function, index) {
            parts.push(format!("**Here begins a {}.** {}", sequence.name, sequence.detail));
        }
        if is_padding(function, index) {
            parts.push("**Padding**: it is never executed.".to_owned());
        }
        parts.push(match isa::opcode(&instruction.opcode) {
            Some(entry) => {
                let joins = joins(function, instruction);
                explain::statement(entry, &modifiers, function.generation, joins)
            }
            None => format!("**`{}`** · an opcode that Warplens does not know", instruction.opcode),
        });
        parts.extend(instruction.guard.map(|guard| {
            let not = if guard.negated { "false" } else { "true" };
            format!("Executed by the lanes in which `{}` is {not}.", guard.register)
        }));
        parts.push(live(Liveness::new(function, &FlowGraph::new(function)).occupied(index)));
        if barrier(function, instruction).is_some() {
            parts.extend(place::region(function, index));
        }
        parts.extend(instruction.control.map(|_| control::summary(function, index)));
        parts.join("\n\n")
    }
}

/// `live: 23, 2 predicates`
pub(super) fn live(counts: Counts) -> String {
    let mut text = format!("live: {}", counts.general);
    for (count, one, several) in [
        (counts.uniform, "uniform", "uniform"),
        (counts.predicates, "predicate", "predicates"),
        (counts.uniform_predicates, "uniform predicate", "uniform predicates"),
    ] {
        if count > 0 {
            text += &format!(", {}", warplens_ide_db::count(count.into(), one, several));
        }
    }
    text
}

/// Whether a token is a number or its sign.
fn is_of_number(token: &SyntaxToken) -> bool {
    let is_number = |token: &SyntaxToken| token.kind() == SyntaxKind::INT_NUMBER;
    let is_sign = matches!(token.kind(), SyntaxKind::PLUS | SyntaxKind::MINUS);
    is_number(token) || is_sign && token.next_token().is_some_and(|next| is_number(&next))
}

fn suffix(value: &Value, text: &str) -> Option<String> {
    if matches!(value, Value::Special(_) | Value::Condition(_)) {
        return None;
    }
    explain::word(text.trim_start_matches('.'))
}

/// A name outside instructions: a function, or an attribute of a note.
fn outside(position: &FilePosition<'_>, token: &SyntaxToken) -> Option<(TextRange, String)> {
    let code = sass_code(position.db, position.item);
    let range = token.text_range();
    let function = code.functions.iter().find(|function| {
        let name = function.name.as_ref().map(|name| name.text.as_str());
        name.is_some_and(|name| token.text() == name || token.text().strip_prefix(".text.") == Some(name))
    });
    if let Some(function) = function {
        return Some((range, place::function(position, function)));
    }
    let label = code.functions.iter().find_map(|function| Some((function, function.label(token.text())?)));
    let (function, label) = label?;
    Some((range, place::block(position, function, label.before as usize)?))
}

#[cfg(test)]
mod tests;
