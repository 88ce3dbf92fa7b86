//! Instructions and their operands.

use crate::generated::ptx as tables;
use crate::ptx::{Form, Modifier, ModifierClass, Operand};
use crate::tables::list;
use crate::{Category, List, Simulation, Version};

/// One entry of the instruction set. A mnemonic that works in several ways (`add` on integers and on floats) has several
/// entries; all of them are under its opcode.
#[derive(Debug)]
pub struct Instruction {
    /// Unique: the name, with `@variant` where one name has several entries.
    pub id: &'static str,
    /// The opcode with the words that always follow it: `add`, `cp.async.bulk`.
    pub name: &'static str,
    /// The first word of the name, at the start of a statement.
    pub opcode: &'static str,
    /// The words of the name that follow the opcode directly, with their dots; the modifiers come after them.
    pub words: &'static [&'static str],
    /// The group it belongs to.
    pub category: &'static Category,
    /// Its section in the public description of PTX 9.4.
    pub section: &'static str,
    /// Its forms. `{x}` is optional, `{a,b}` or `a|b` a choice; a word without a dot inside a chain of modifiers names a class.
    pub syntax: &'static [&'static str],
    /// Exactly what the assembler takes.
    pub forms: &'static [Form],
    /// The modifiers after `words`, in their documented order.
    pub modifiers: List<ModifierClass>,
    /// Every single modifier that some form takes, `words` included, sorted.
    pub vocabulary: &'static [&'static str],
    /// The types it works on, without dots.
    pub types: &'static [&'static str],
    /// Its operands in the order of the fullest form.
    pub operands: List<Operand>,
    /// The first version that has it.
    pub since: Version,
    /// Which of its forms were added later, in prose; often empty.
    pub since_note: &'static str,
    /// The targets it needs, in prose.
    pub target: &'static str,
    /// Whether it takes a guard `@p`.
    pub predicable: bool,
    /// Whether it is still to be used.
    pub status: Status,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// What it does, in lines of pseudo code.
    pub semantics: &'static [&'static str],
    /// What one should know besides.
    pub notes: &'static [&'static str],
    /// How it splits lanes or depends on which of them are there; often empty.
    pub divergence: &'static str,
    /// Statements that the assembler accepts.
    pub example: Example,
    /// For statements of the example, the oldest version and target that the assembler takes.
    pub measured: &'static [Measured],
    /// What the simulator does with it.
    pub simulation: Simulation,
}

impl Instruction {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        id: "",
        name: "",
        opcode: "",
        words: &[],
        category: &tables::CATEGORIES[0],
        section: "",
        syntax: &[],
        forms: &[],
        modifiers: list(&[]),
        vocabulary: &[],
        types: &[],
        operands: list(&[]),
        since: Version::new(1, 0),
        since_note: "",
        target: "",
        predicable: true,
        status: Status::Current,
        summary: "",
        semantics: &[],
        notes: &[],
        divergence: "",
        example: Example::EMPTY,
        measured: &[],
        simulation: Simulation::Simulated,
    };

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

/// Whether an entry is still to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Yes.
    Current,
    /// It works, and something better replaces it.
    Deprecated,
    /// Newer versions reject it.
    Removed,
}

/// Statements that show an entry at work, for a given target and version.
#[derive(Debug)]
pub struct Example {
    /// The statements.
    pub code: &'static str,
    /// The target they need.
    pub target: &'static str,
    /// The version they need.
    pub version: Version,
    /// Declarations that they rely on, beside registers `%r1`, `%rd1`, `%f1`, `%fd1`, `%h1`, `%p1` and so on; often empty.
    pub declarations: &'static str,
}

impl Example {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self =
        Self { code: "", target: "", version: Version::new(1, 0), declarations: "" };
}

/// What the assembler was measured to want for one statement.
#[derive(Debug)]
pub struct Measured {
    /// The statement.
    pub code: &'static str,
    /// The oldest version that it accepts (2.3 is the oldest that was tried).
    pub since: Version,
    /// The oldest target that it accepts.
    pub target: &'static str,
}

/// All entries, grouped by category in the order of the public description.
pub fn instructions() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

/// The groups, in the order of the public description.
pub fn categories() -> &'static [Category] {
    &tables::CATEGORIES
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
