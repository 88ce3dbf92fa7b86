//! The operands of a form: `d|p?:b32*vec/reg+sink?`.

use anyhow::{Context, Result, bail, ensure};

use super::super::super::data::words;
use super::super::super::ptx_data::{Instruction, Operand};
use super::Slot;

/// An operand, all of whose names are known.
pub(super) struct FormOperand {
    pub(super) index: usize,
    pub(super) second: Option<(usize, bool)>,
    pub(super) accepted: Accepted,
    pub(super) ty: Type,
    pub(super) length: Length,
    pub(super) optional: bool,
}

/// What may be written there, and from which constant to which.
pub(super) struct Accepted {
    pub(super) kinds: Vec<String>,
    pub(super) range: Option<(i64, i64)>,
    pub(super) step: i64,
}

/// `OperandType` of the tables.
pub(super) enum Type {
    Unsaid,
    Fixed { name: String, at_least: bool },
    Slot { slot: usize, at_least: bool },
    Wide(usize),
}

/// `Length` of the tables.
pub(super) enum Length {
    One,
    Exactly(u16),
    Slot(usize, u16),
    Any,
}

/// The operands of a form with these slots.
pub(super) fn operands(entry: &Instruction, slots: &[Slot], text: &str) -> Result<Vec<FormOperand>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| operand(entry, slots, part).with_context(|| format!("the operand `{part}`"))).collect()
}

fn operand(entry: &Instruction, slots: &[Slot], text: &str) -> Result<FormOperand> {
    let (names, annotations) = text.split_at(text.find([':', '*', '/']).unwrap_or(text.len()));
    let (names, optional, annotations) = match annotations.strip_suffix('?') {
        Some(rest) if !rest.ends_with('*') => (names, true, rest),
        _ if annotations.is_empty() && !names.contains('|') => match names.strip_suffix('?') {
            Some(name) => (name, true, annotations),
            None => (names, false, annotations),
        },
        _ => (names, false, annotations),
    };
    let (first, second) = pair(names);
    let index = index(entry, first)?;
    let second = match second {
        Some((name, optional)) => Some((self::index(entry, name)?, optional)),
        None => None,
    };
    let own = &entry.operands[index];
    let (written, kinds) = match annotations.split_once('/') {
        Some((written, kinds)) => (written, Some(kinds)),
        None => (annotations, None),
    };
    let default = own.ty.as_deref().unwrap_or_default();
    let (ty, length) = (annotation(written), annotation(default));
    let (ty, length) = (ty.0.or(length.0), ty.1.or(length.1));
    let accepted =
        kinds.map_or_else(|| Ok(Accepted { kinds: kinds_of(own), range: None, step: 1 }), accepted)?;
    Ok(FormOperand {
        index,
        second,
        ty: type_of(entry, slots, ty, &accepted.kinds)?,
        length: length.map_or(Ok(Length::One), |text| length_of(entry, slots, text))?,
        accepted,
        optional,
    })
}

/// `d|p?`: the first, and the second with whether it may be absent.
fn pair(names: &str) -> (&str, Option<(&str, bool)>) {
    match names.split_once('|') {
        None => (names, None),
        Some((first, second)) => match second.strip_suffix('?') {
            Some(second) => (first, Some((second, true))),
            None => (first, Some((second, false))),
        },
    }
}

/// `:type*length`, `type*length` or parts of it.
fn annotation(text: &str) -> (Option<&str>, Option<&str>) {
    let (ty, length) = match text.split_once('*') {
        Some((ty, length)) => (ty, Some(length)),
        None => (text, None),
    };
    let ty = ty.strip_prefix(':').unwrap_or(ty);
    (Some(ty).filter(|ty| !ty.is_empty()), length)
}

fn index(entry: &Instruction, name: &str) -> Result<usize> {
    let found = entry.operands.iter().position(|operand| operand.name == name);
    found.with_context(|| format!("`{name}` is no operand of the entry"))
}

fn kinds_of(operand: &Operand) -> Vec<String> {
    words(&operand.kinds).into_iter().map(str::to_owned).collect()
}

/// `reg+imm(0..15)`, `imm(32..1024/32)`
fn accepted(text: &str) -> Result<Accepted> {
    let Some((before, rest)) = text.split_once('(') else {
        return Ok(Accepted { kinds: text.split('+').map(str::to_owned).collect(), range: None, step: 1 });
    };
    let (range, after) = rest.split_once(')').context("a `(` is not closed")?;
    let (bounds, step) = range.split_once('/').unwrap_or((range, "1"));
    let (low, high) = bounds.split_once("..").with_context(|| format!("`{range}` is no range"))?;
    let kinds = before.split('+').chain(after.split('+')).filter(|kind| !kind.is_empty());
    let kinds = kinds.map(str::to_owned).collect();
    Ok(Accepted { kinds, range: Some((low.parse()?, high.parse()?)), step: step.parse()? })
}

fn type_of(entry: &Instruction, slots: &[Slot], written: Option<&str>, kinds: &[String]) -> Result<Type> {
    let slot = |class: &str| slots.iter().position(|slot| slot.class == class);
    let has = |kind: &str| kinds.iter().any(|it| it == kind);
    let Some(written) = written else {
        let classes: &[&str] = match has("address") || has("tensor-address") {
            true => &["ss", "space", "state_space"],
            false if has("pred") && !has("reg") => {
                return Ok(Type::Fixed { name: "pred".to_owned(), at_least: false });
            }
            false => &["type"],
        };
        let found = classes.iter().find_map(|class| slot(class));
        return Ok(found.map_or(Type::Unsaid, |slot| Type::Slot { slot, at_least: false }));
    };
    let (name, at_least) = match written.strip_suffix('+') {
        Some(name) => (name, true),
        None => (written, false),
    };
    if let Some(class) = name.strip_prefix("wide(").and_then(|rest| rest.strip_suffix(')')) {
        return Ok(Type::Wide(slot(class).with_context(|| format!("the form has no `{class}`"))?));
    }
    let is_class = entry.modifiers.iter().any(|class| class.class == name);
    Ok(match slot(name) {
        Some(slot) => Type::Slot { slot, at_least },
        None if is_class => Type::Unsaid,
        None => Type::Fixed { name: name.to_owned(), at_least },
    })
}

fn length_of(entry: &Instruction, slots: &[Slot], text: &str) -> Result<Length> {
    let mut factor = None;
    let mut class = None;
    for part in text.split('*') {
        match part.parse::<u16>() {
            _ if part == "?" => return Ok(Length::Any),
            Ok(number) => ensure!(factor.replace(number).is_none(), "it has two numbers"),
            Err(_) => ensure!(class.replace(part).is_none(), "it has two classes"),
        }
    }
    let Some(class) = class else {
        return Ok(factor.map_or(Length::One, Length::Exactly));
    };
    if !entry.modifiers.iter().any(|it| it.class == class) {
        bail!("`{class}` is no class of the entry");
    }
    let slot = slots.iter().position(|slot| slot.class == class);
    Ok(slot.map_or(Length::One, |slot| Length::Slot(slot, factor.unwrap_or(1))))
}
