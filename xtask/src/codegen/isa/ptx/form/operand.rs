//! The operands of a form: `d|p?:b32*vec/reg+sink?`, `[tmap, coords:s32*dim]`.

use anyhow::{Context, Result, bail};

use super::length::length;
use super::range::range;
use crate::codegen::isa::brackets::split;
use crate::codegen::isa::data::names;
use crate::codegen::isa::schema::ptx::{Instruction, ModifierClass};
use crate::codegen::isa::schema::ptx_form::{
    FormOperand, FormSpace, Length, OperandKind, OperandType, Presence, Range, Slot,
};
use crate::codegen::isa::schema::storage::word;

impl FormOperand {
    /// Whether a length in the operand depends on the numbers in a slot.
    pub(super) fn counts(&self, slot: usize) -> bool {
        self.with_inside().any(|operand| operand.length.counts(slot))
    }

    /// The operand and the operands in its brackets.
    pub(super) fn with_inside(&self) -> impl Iterator<Item = &FormOperand> {
        [self].into_iter().chain(&self.inside)
    }
}

/// The operands of a form with these slots.
pub(super) fn operands(entry: &Instruction, slots: &[Slot], text: &str) -> Result<Vec<FormOperand>> {
    let scope = Scope { entry, slots };
    let parts = split(text, |c| c == ',').into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| scope.written(part).with_context(|| format!("the operand `{part}`"))).collect()
}

/// Resolves the names in an operand.
struct Scope<'a> {
    entry: &'a Instruction,
    slots: &'a [Slot],
}

/// The parts of `d|p?:type>space*length/kinds?class`.
struct Written<'t> {
    first: &'t str,
    second: Option<(&'t str, bool)>,
    ty: Option<&'t str>,
    space: Option<&'t str>,
    length: Option<&'t str>,
    kinds: Option<&'t str>,
    /// Empty for a plain `?`.
    presence: Option<&'t str>,
}

impl<'t> Written<'t> {
    fn read(text: &'t str) -> Written<'t> {
        let (names, annotations) = text.split_at(text.find([':', '>', '*', '/']).unwrap_or(text.len()));
        // The presence mark is last: after the annotations, or after a name without a bar.
        let (names, annotations, presence) = match annotations {
            "" if names.contains('|') => (names, annotations, None),
            "" => {
                let (names, presence) = split_presence(names);
                (names, annotations, presence)
            }
            _ => {
                let (annotations, presence) = split_presence(annotations);
                (names, annotations, presence)
            }
        };
        let (first, second) = pair(names);
        let (annotations, kinds) = split_kinds(annotations);
        let (ty, space, length) = annotation(annotations);
        Written { first, second, ty, space, length, kinds, presence }
    }
}

/// Splits `x?` or `x?class`. The `?` of `*?` is a length.
fn split_presence(text: &str) -> (&str, Option<&str>) {
    match text.rfind('?') {
        Some(at) if !text[..at].ends_with('*') => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    }
}

/// Splits off the kinds, which follow a slash and start with a letter. A slash before a number divides a
/// length.
fn split_kinds(text: &str) -> (&str, Option<&str>) {
    let is_kinds = |at: &usize| text[*at + 1..].starts_with(|c: char| c.is_ascii_alphabetic());
    match text.match_indices('/').map(|(at, _)| at).find(is_kinds) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Splits `d|p?` into the first operand and the second, with whether the second may be omitted.
fn pair(names: &str) -> (&str, Option<(&str, bool)>) {
    match names.split_once('|') {
        None => (names, None),
        Some((first, second)) => match second.strip_suffix('?') {
            Some(second) => (first, Some((second, true))),
            None => (first, Some((second, false))),
        },
    }
}

/// Splits `:type>space*length`, any part of which may be missing, including the colon.
fn annotation(text: &str) -> (Option<&str>, Option<&str>, Option<&str>) {
    let (text, length) = match text.split_once('*') {
        Some((text, length)) => (text, Some(length)),
        None => (text, None),
    };
    let (ty, space) = match text.split_once('>') {
        Some((ty, space)) => (ty, Some(space)),
        None => (text, None),
    };
    let ty = ty.strip_prefix(':').unwrap_or(ty);
    (Some(ty).filter(|ty| !ty.is_empty()), space, length)
}

impl Scope<'_> {
    fn written(&self, text: &str) -> Result<FormOperand> {
        match text.strip_prefix('[') {
            Some(text) => self.brackets(text.strip_suffix(']').context("a `[` is not closed")?),
            None => self.operand(text),
        }
    }

    /// Reads `[first, others…]`. The first one is the operand of the entry.
    fn brackets(&self, text: &str) -> Result<FormOperand> {
        let inside = split(text, |c| c == ',').into_iter().map(|part| self.operand(part.trim()));
        let inside = inside.collect::<Result<Vec<_>>>()?;
        let index = inside.first().context("the brackets are empty")?.index;
        Ok(FormOperand { index, kinds: vec![OperandKind::Address], inside, ..FormOperand::default() })
    }

    fn operand(&self, text: &str) -> Result<FormOperand> {
        let written = Written::read(text);
        let index = self.index(written.first)?;
        let second = match written.second {
            Some((name, optional)) => Some((self.index(name)?, optional)),
            None => None,
        };
        let own = &self.entry.operands[index];
        let (ty, space, length) = annotation(own.ty.as_deref().unwrap_or_default());
        let (kinds, ranges) = match written.kinds {
            Some(kinds) => self.accepted(kinds)?,
            None => (own.kinds.to_vec(), Vec::new()),
        };
        let (ty, space) = self.type_and_space(written.ty.or(ty), written.space.or(space), &kinds)?;
        Ok(FormOperand {
            index,
            second,
            kinds,
            ty,
            space,
            length: match written.length.or(length) {
                Some(text) => length_of(self, text)?,
                None => Length::One,
            },
            ranges,
            presence: match written.presence {
                None => Presence::Required,
                Some("") => Presence::Optional,
                Some(class) => Presence::With(self.slot(class)?),
            },
            inside: Vec::new(),
        })
    }

    fn index(&self, name: &str) -> Result<usize> {
        let found = self.entry.operands.iter().position(|operand| operand.name == name);
        found.with_context(|| format!("`{name}` is not an operand of the entry"))
    }

    fn find_slot(&self, class: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.class == class)
    }

    fn slot(&self, class: &str) -> Result<usize> {
        self.find_slot(class).with_context(|| format!("the form has no `{class}`"))
    }

    fn class(&self, name: &str) -> Option<&ModifierClass> {
        self.entry.modifiers.iter().find(|class| class.name == name)
    }

    /// The kinds of `reg+imm(0..15)`, and the ranges of the constants.
    fn accepted(&self, text: &str) -> Result<(Vec<OperandKind>, Vec<Range>)> {
        let list = |text: &str| -> Result<Vec<OperandKind>> {
            let kinds = text.split('+').filter(|kind| !kind.is_empty());
            Ok(kinds.map(word).collect::<Result<_, serde::de::value::Error>>()?)
        };
        let Some((before, rest)) = text.split_once('(') else { return Ok((list(text)?, Vec::new())) };
        let (within, after) = rest.split_once(')').context("a `(` is not closed")?;
        let ranges = within.split(',').map(|part| range(part, |name| self.index(name)));
        Ok((list(&format!("{before}{after}"))?, ranges.collect::<Result<_>>()?))
    }

    /// The word after the colon of an address is its state space, unless it is a type. For other operands, the state
    /// space follows a `>`.
    fn type_and_space(
        &self,
        ty: Option<&str>,
        space: Option<&str>,
        kinds: &[OperandKind],
    ) -> Result<(OperandType, FormSpace)> {
        if kinds.contains(&OperandKind::Address) && space.is_none() {
            let classes = ["ss", "space", "state_space"];
            let by_default = || classes.into_iter().find(|class| self.find_slot(class).is_some());
            return Ok(match ty {
                Some(ty) if !self.is_space(ty) => (self.type_named(ty)?, FormSpace::Unspecified),
                _ => (
                    OperandType::Unspecified,
                    ty.or_else(by_default).map_or(FormSpace::Unspecified, |name| self.space(name)),
                ),
            });
        }
        let space = space.map_or(FormSpace::Unspecified, |name| self.space(name));
        let is_predicate = kinds.contains(&OperandKind::Predicate) && !kinds.contains(&OperandKind::Register);
        let ty = match ty {
            Some(ty) => self.type_named(ty)?,
            None if is_predicate => OperandType::Fixed("pred".to_owned()),
            None => self.find_slot("type").map_or(OperandType::Unspecified, OperandType::Slot),
        };
        Ok((ty, space))
    }

    /// Whether a word is a state space, or a class of state spaces.
    fn is_space(&self, name: &str) -> bool {
        let is = |word: &str| {
            let word = word.trim_start_matches('.').split("::").next().unwrap_or_default();
            ["generic", "global", "shared", "local", "const", "param"].contains(&word)
        };
        match self.class(name) {
            Some(class) => names(&class.listed).iter().all(|value| is(value)),
            None => is(name),
        }
    }

    fn space(&self, name: &str) -> FormSpace {
        match self.find_slot(name) {
            Some(slot) => FormSpace::Slot(slot),
            None if self.class(name).is_some() => FormSpace::Unspecified,
            None => FormSpace::Fixed(name.to_owned()),
        }
    }

    fn type_named(&self, written: &str) -> Result<OperandType> {
        let (name, at_least) = match written.strip_suffix('+') {
            Some(name) => (name, true),
            None => (written, false),
        };
        if let Some(class) = name.strip_prefix("wide(").and_then(|rest| rest.strip_suffix(')')) {
            return Ok(OperandType::Wide(self.slot(class)?));
        }
        Ok(match self.find_slot(name) {
            Some(slot) if at_least => OperandType::AtLeast(slot),
            Some(slot) => OperandType::Slot(slot),
            None if self.class(name).is_some() => OperandType::Unspecified,
            None if at_least => OperandType::FixedAtLeast(name.to_owned()),
            None => OperandType::Fixed(name.to_owned()),
        })
    }
}

fn length_of(scope: &Scope<'_>, text: &str) -> Result<Length> {
    length(text, |class| match scope.find_slot(class) {
        Some(slot) => Ok(Some(slot)),
        None if scope.class(class).is_some() => Ok(None),
        None => bail!("`{class}` is not a class of the entry"),
    })
}
