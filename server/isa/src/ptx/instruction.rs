//! Instructions and modifiers by name.

use crate::generated::ptx as tables;
use crate::schema::ptx::{Instruction, Modifier, ModifierClass, Operand};
use crate::tables::list;
use crate::{Category, List};

accessors! {
    shared Operand = OPERAND;
    shared ModifierClass = CLASS;
    shared Modifier = MOD;
    /// The groups, in the order of the public description.
    categories: all Category = CATEGORIES;
}

impl Instruction {
    /// Whether some form takes this modifier, written with its dot.
    pub fn accepts(&self, modifier: &str) -> bool {
        self.vocabulary.binary_search(&modifier).is_ok()
    }

    /// The class that a modifier belongs to here, and what it means there. A word of a longer value is found too: `.sync` in
    /// `.sync.aligned`. The fixed words of the name belong to no class.
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

/// All entries, grouped by category in the order of the public description.
pub fn instructions() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

/// The entries of an opcode: the first word of a statement (`@` for the guard, `{}` for a block).
pub fn by_opcode(opcode: &str) -> &'static [&'static Instruction] {
    tables::OPCODE_NAMES.get(opcode).map_or(&[], |index| tables::BY_OPCODE[index])
}

/// The entry with this id.
pub fn instruction(id: &str) -> Option<&'static Instruction> {
    tables::BY_ID.get(id).map(|index| tables::INSTRUCTIONS[index])
}

/// All opcodes, in alphabetical order.
pub fn opcodes() -> &'static [&'static str] {
    tables::OPCODES
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
