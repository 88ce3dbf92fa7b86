//! The forms of instructions: reads the lines of `forms`, as data/README.md says they are written, and checks them against
//! their entry. Rendering is in `form/render.rs`.

mod gate;
mod operand;
mod render;

use anyhow::{Context, Result, bail, ensure};

use super::super::data::names;
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
    let slots = slots(entry, modifiers)?;
    let operands = operands(entry, &slots, rest.trim())?;
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
        let known = names(&class.values);
        let values = match restriction {
            None => known.into_iter().map(|word| Value { word, gate: Vec::new() }).collect(),
            Some(list) => names(list).iter().map(|it| value(it, class)).collect::<Result<Vec<_>>>()?,
        };
        return Ok(slot(&class.class, values, restriction.is_none()));
    }
    ensure!(restriction.is_none(), "`{word}` is no class of the entry");
    let word = format!(".{word}");
    let has = |class: &&ModifierClass| names(&class.values).contains(&word);
    let unused = |class: &&ModifierClass| !before.iter().any(|slot| slot.class == class.class);
    let class =
        (entry.modifiers.iter().find(|class| unused(class) && has(class))).map(|it| it.class.as_str());
    if class.is_none() && !entry.modifiers.iter().any(|class| has(&class)) {
        bail!("`{word}` is neither a class nor a modifier of the entry");
    }
    Ok(slot(class.unwrap_or_default(), vec![Value { word, gate: Vec::new() }], false))
}

/// A value with what it needs: `L2::64B@7.4/sm_75`.
fn value(text: &str, class: &ModifierClass) -> Result<Value> {
    let (word, gate) = text.split_once('@').unwrap_or((text, ""));
    let word = format!(".{word}");
    ensure!(names(&class.values).contains(&word), "`{word}` is not in the class `{}`", class.class);
    let gate = if gate.is_empty() { Vec::new() } else { needs(&gate.replace('/', " "))? };
    Ok(Value { word, gate })
}

#[cfg(test)]
mod tests;
