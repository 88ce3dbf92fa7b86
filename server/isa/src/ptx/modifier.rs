//! Modifiers: the dotted words after an opcode.

use crate::generated::ptx as tables;
use crate::tables::list;
use crate::{List, Shared};

/// A choice of modifiers at one place of a form.
#[derive(Debug)]
pub struct ModifierClass {
    /// Its name in the forms.
    pub name: &'static str,
    /// What the choice decides.
    pub summary: &'static str,
    /// What may be written, each with its dot. A value of several words (`.sync.aligned`) is written whole.
    pub values: List<Modifier>,
    /// Whether nothing may be written.
    pub optional: bool,
}

impl Shared for ModifierClass {
    const TABLE: &'static [Self] = &tables::CLASS;
}

/// One modifier in one meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Modifier {
    /// The modifier as written, with its dot.
    pub name: &'static str,
    /// What it means.
    pub summary: &'static str,
}

impl Shared for Modifier {
    const TABLE: &'static [Self] = &tables::MOD;
}

/// The meanings of a modifier, written with its dot. Most have one; `.lo` compares in `setp` and picks a half in `mul`.
pub fn modifier(name: &str) -> List<Modifier> {
    tables::MODIFIER_NAMES.get(name).map_or(list(&[]), |index| tables::MEANINGS[index])
}

/// Whether the assembler overlooks a second one of this modifier, written with its dot.
pub fn is_repeatable(name: &str) -> bool {
    tables::REPEATABLE.contains(&name)
}

/// Whether the assembler takes a word of a name in any place among the modifiers, written with its dot.
pub fn is_movable(name: &str) -> bool {
    tables::MOVABLE.contains(&name)
}
