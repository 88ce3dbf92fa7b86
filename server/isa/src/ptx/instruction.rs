//! Instructions and modifiers by name.

use crate::generated::ptx as tables;
use crate::schema::ptx::{Instruction, Modifier, ModifierClass, Operand};
use crate::tables::list;
use crate::{Category, List};

accessors! {
    shared Operand = OPERAND;
    shared ModifierClass = CLASS;
    shared Modifier = MOD;
    /// All categories, in the order of NVIDIA's manual.
    categories: all Category = CATEGORIES;
}

impl Instruction {
    /// Whether any form accepts this modifier, written with its dot.
    pub fn accepts(&self, modifier: &str) -> bool {
        self.vocabulary.binary_search(&modifier).is_ok()
    }

    /// The class of a modifier in this instruction, and its meaning there. Also finds one word of a longer value, such as
    /// `.sync` in `.sync.aligned`. The fixed words of the name belong to no class.
    pub fn modifier(&self, modifier: &str) -> Option<(&'static ModifierClass, &'static Modifier)> {
        let find = |wanted: fn(&str, &str) -> bool| {
            self.modifiers.iter().find_map(|class| {
                let value = class.values.iter().find(|value| wanted(value.name, modifier))?;
                Some((class, value))
            })
        };
        find(|value, word| value == word).or_else(|| {
            find(|value, word| value.split('.').skip(1).any(|part| word.strip_prefix('.') == Some(part)))
        })
    }
}

/// All entries, grouped by category in the order of NVIDIA's manual.
pub fn instructions() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

/// The entries of an opcode, which is the first word of a statement (`@` for the guard, `{}` for a block).
pub fn by_opcode(opcode: &str) -> &'static [&'static Instruction] {
    tables::OPCODE_NAMES.get(opcode).map_or(&[], |index| tables::BY_OPCODE[index])
}

pub fn instruction(id: &str) -> Option<&'static Instruction> {
    tables::BY_ID.get(id).map(|index| tables::INSTRUCTIONS[index])
}

/// All opcodes, in alphabetical order.
pub fn opcodes() -> &'static [&'static str] {
    tables::OPCODES
}

/// The meanings of a modifier, written with its dot. Most have one; `.lo` compares in `setp` but selects a half in
/// `mul`.
pub fn modifier(name: &str) -> List<Modifier> {
    tables::MODIFIER_NAMES.get(name).map_or(list(&[]), |index| tables::MEANINGS[index])
}

/// Whether the assembler ignores a repetition of this modifier, written with its dot.
pub fn is_repeatable(name: &str) -> bool {
    tables::REPEATABLE.contains(&name)
}

/// Whether the assembler accepts this word of a name anywhere among the modifiers. It is written with its
/// dot.
pub fn is_movable(name: &str) -> bool {
    tables::MOVABLE.contains(&name)
}
