//! The forms of instructions: reads the lines of `forms`, as data/README.md says they are written, and checks them against
//! their entry. Rendering is in `form/render.rs`.

mod gate;
mod length;
mod operand;
mod range;
mod render;

use anyhow::{Context, Result, bail, ensure};

use super::super::data::{names, words};
use super::super::ptx_data::{Instruction, ModifierClass};
use gate::{Need, needs};
use operand::{FormOperand, operands};
pub(super) use render::Shared;

/// One form, all of whose names are known.
struct Form {
    slots: Vec<Slot>,
    operands: Vec<FormOperand>,
    gate: Vec<Need>,
    removed: Option<Need>,
}

/// A place for a modifier.
struct Slot {
    class: String,
    values: Vec<Value>,
    optional: bool,
    leads: bool,
    /// Whether it takes every value of its class.
    whole: bool,
}

/// A modifier with its dots.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Value {
    word: String,
    gate: Vec<Need>,
    /// The numbers in it, or the one that its class says it counts; none where no length of the form goes by them.
    numbers: Vec<u16>,
    /// Whether the first of those that it counts is an index.
    indexes: bool,
}

/// The source of the one need that a text names.
pub(super) fn need(text: &str) -> Result<String> {
    match needs(text)?.as_slice() {
        [need] => Ok(gate::need_source(need)),
        _ => bail!("`{text}` names alternatives"),
    }
}

/// The forms of an entry.
fn forms(entry: &Instruction, name: &str) -> Result<Vec<Form>> {
    let mut heading = needs(&entry.since)?;
    let mut found = Vec::new();
    for line in entry.forms.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let read = match line.strip_prefix('@') {
            _ if line.is_empty() => Ok(()),
            Some(gate) => needs(gate).map(|gate| heading = gate),
            None => form(entry, name, line, &heading).map(|form| found.push(form)),
        };
        read.with_context(|| format!("the form `{line}`"))?;
    }
    Ok(found)
}

fn form(entry: &Instruction, name: &str, line: &str, heading: &[Need]) -> Result<Form> {
    let (line, removed) = match line.split_once(" until ") {
        Some((line, need)) => (line, needs(need)?.into_iter().next()),
        None => (line, None),
    };
    let (line, gate) = match line.split_once(" @ ") {
        Some((line, gate)) => (line, needs(gate)?),
        None => (line, heading.to_vec()),
    };
    let (mnemonic, rest) = split_head(line.trim());
    let modifiers =
        mnemonic.strip_prefix(name).with_context(|| format!("it does not begin with `{name}`"))?;
    let mut slots = slots(entry, modifiers)?;
    let operands = operands(entry, &slots, rest.trim())?;
    for (index, slot) in slots.iter_mut().enumerate() {
        if !operands.iter().any(|operand| operand.counts(index)) {
            slot.values.iter_mut().for_each(|value| (value.numbers, value.indexes) = (Vec::new(), false));
        }
    }
    Ok(Form { slots, operands, gate, removed })
}

/// The text before and after the first blank outside brackets.
fn split_head(line: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in line.char_indices() {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => return line.split_at(at),
            _ => {}
        }
    }
    (line, "")
}

fn slots(entry: &Instruction, mut text: &str) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    while !text.is_empty() {
        let (leads, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (item, optional, rest) = match rest.strip_prefix('{') {
            Some(inside) => {
                let (item, rest) = inside.split_once('}').context("a `{` is not closed")?;
                (item, true, rest)
            }
            None => {
                let (item, rest) = rest.split_at(item_len(rest));
                (item, false, rest)
            }
        };
        let item = item.strip_prefix('.').with_context(|| format!("`{item}` has no dot"))?;
        let slot = slot(entry, &slots, item)?;
        slots.push(Slot { optional, leads, ..slot });
        text = rest;
    }
    Ok(slots)
}

/// How long the item at the start of a chain is: up to the next dot, brace or mark outside parentheses.
fn item_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' | '{' | '!' if depth == 0 && at > 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn slot(entry: &Instruction, before: &[Slot], item: &str) -> Result<Slot> {
    let (word, restriction) = match item.split_once('(') {
        Some((word, rest)) => (word, Some(rest.strip_suffix(')').context("a `(` is not closed")?)),
        None => (item, None),
    };
    let slot = |class: &str, values, whole| Slot {
        class: class.to_owned(),
        values,
        optional: false,
        leads: false,
        whole,
    };
    if let Some(class) = entry.modifiers.iter().find(|class| class.class == word) {
        let listed = match restriction {
            None => names(&class.values).iter().map(|word| word[1..].to_owned()).collect(),
            Some(list) => names(list),
        };
        let values = listed.iter().map(|text| value(text, class)).collect::<Result<Vec<_>>>()?;
        return Ok(slot(&class.class, values, restriction.is_none()));
    }
    ensure!(restriction.is_none(), "`{word}` is no class of the entry");
    let word = format!(".{word}");
    let has = |class: &&ModifierClass| names(&class.values).contains(&word);
    let unused = |class: &&ModifierClass| !before.iter().any(|slot| slot.class == class.class);
    if let Some(class) = entry.modifiers.iter().find(|class| unused(class) && has(class)) {
        return Ok(slot(&class.class, vec![value(&word[1..], class)?], false));
    }
    ensure!(
        entry.modifiers.iter().any(|class| has(&class)),
        "`{word}` is neither a class nor a modifier of the entry"
    );
    let value = Value { word, gate: Vec::new(), numbers: Vec::new(), indexes: false };
    Ok(slot("", vec![value], false))
}

/// A value with what it needs: `L2::64B@7.4/sm_75`.
fn value(text: &str, class: &ModifierClass) -> Result<Value> {
    let (word, gate) = text.split_once('@').unwrap_or((text, ""));
    let word = format!(".{word}");
    let place = names(&class.values).iter().position(|value| *value == word);
    let place = place.with_context(|| format!("`{word}` is not in the class `{}`", class.class))?;
    let gate = match (gate, class.needs.as_str()) {
        ("", "") => Vec::new(),
        ("", needed) => needs(needed)?,
        (gate, _) => needs(&gate.replace('/', " "))?,
    };
    let (numbers, indexes) = match class.counts.as_str() {
        "" => (numbers(&word), false),
        counts => {
            let count = words(counts).get(place).copied();
            let count = count.with_context(|| format!("`counts` says nothing of `{word}`"))?;
            let (number, indexes) = match count.strip_prefix("index+") {
                Some(others) => (others.parse::<u16>()? + 1, true),
                None => (count.parse()?, false),
            };
            (vec![number], indexes)
        }
    };
    Ok(Value { word, gate, numbers, indexes })
}

/// The numbers in a modifier: 64, 8 and 16 of `.m64n8k16`.
fn numbers(word: &str) -> Vec<u16> {
    word.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
