//! Typical mistakes: an added, removed or replaced modifier or operand.

use fastrand::Rng;
use warplens_isa::ptx::{self, Instruction};

use crate::scaffold::{declarable, register};
use crate::statement::Statement;

/// Operands of every kind.
const OPERANDS: [&str; 19] = [
    "5",
    "-1",
    "1.5",
    "0f3F800000",
    "!%pred_41",
    "[%b64_9]",
    "[%b32_9]",
    "[g_var]",
    "[s_var]",
    "{%b32_1,%b32_2}",
    "{%f32_1,%f32_2,%f32_3,%f32_4}",
    "{%b64_1,%b64_2}",
    "%laneid",
    "%clock64",
    "_",
    "g_var",
    "Lend",
    "%pred_41|%pred_42",
    "%b32_41|%pred_42",
];

/// Several mutations of a statement, as text.
pub(crate) fn mutations(statement: &Statement, rng: &mut Rng) -> Vec<String> {
    let mut found = Vec::new();
    modifiers(statement, rng, &mut found);
    operands(statement, rng, &mut found);
    found.iter().map(Statement::text).collect()
}

fn modifiers(statement: &Statement, rng: &mut Rng, found: &mut Vec<Statement>) {
    let mut with = |change: &dyn Fn(&mut Vec<Option<String>>)| {
        let mut mutant = statement.clone();
        change(&mut mutant.filled);
        found.push(mutant);
    };
    let vocabulary = vocabulary(statement.entry);
    let present: Vec<usize> =
        (0..statement.filled.len()).filter(|slot| statement.filled[*slot].is_some()).collect();
    for &slot in &present {
        with(&|filled| filled[slot] = None);
        let class = statement.form.slots[slot].class;
        let others = class_values(statement.entry, class);
        let other = pick(if others.is_empty() { &vocabulary } else { &others }, rng);
        with(&|filled| filled[slot] = Some(other.clone()));
        let is_type = statement.filled[slot].as_deref().is_some_and(|word| ptx::type_(word).is_some());
        if is_type {
            let other = ptx::types()[rng.usize(..ptx::types().len())].name;
            with(&|filled| filled[slot] = Some(other.to_owned()));
        }
    }
    if !vocabulary.is_empty() {
        let extra = pick(&vocabulary, rng);
        let position = rng.usize(..=statement.filled.len());
        with(&|filled| filled.insert(position, Some(extra.clone())));
    }
    if present.len() > 1 {
        let (a, b) = (present[rng.usize(..present.len())], present[rng.usize(..present.len())]);
        with(&|filled| filled.swap(a, b));
    }
}

fn operands(statement: &Statement, rng: &mut Rng, found: &mut Vec<Statement>) {
    let mut with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut mutant = statement.clone();
        change(&mut mutant.operands);
        found.push(mutant);
    };
    let types = declarable();
    for index in 0..statement.operands.len() {
        let other = OPERANDS[rng.usize(..OPERANDS.len())];
        with(&|operands| operands[index] = other.to_owned());
        let other = register(types[rng.usize(..types.len())], 41);
        if statement.operands[index].starts_with('%') {
            with(&|operands| operands[index] = other.clone());
        }
    }
    if !statement.operands.is_empty() {
        with(&|operands| drop(operands.pop()));
        with(&|operands| operands.push("%b32_77".to_owned()));
    }
}

fn vocabulary(entry: &'static Instruction) -> Vec<String> {
    let entries = ptx::by_opcode(entry.opcode).iter();
    let mut words: Vec<String> =
        entries.flat_map(|entry| entry.vocabulary.iter().map(|word| (*word).to_owned())).collect();
    words.sort();
    words.dedup();
    words
}

fn class_values(entry: &Instruction, class: &str) -> Vec<String> {
    let found = entry.modifiers.iter().filter(|it| it.name == class);
    found.flat_map(|class| class.values.iter().map(|value| value.name.to_owned())).collect()
}

fn pick(words: &[String], rng: &mut Rng) -> String {
    words[rng.usize(..words.len())].clone()
}
