//! Lowered items.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};

use super::control::Control;
use super::operand::Operand;
use super::register::Register;
use super::section::Section;
use super::target::{Generation, Target};

/// A lowered item. Ranges are relative to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// The target that the item states for itself and for the items after it.
    pub stated: Option<Stated>,
    /// The functions: one of a section of code, none of other sections, perhaps several of a fragment.
    pub functions: Vec<Function>,
    /// A section of data or notes.
    pub section: Option<Section>,
}

/// A target that the text states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The target.
    pub target: Target,
    /// Its range.
    pub range: TextRange,
}

/// A name with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: SmolStr,
    /// Its range.
    pub range: TextRange,
}

/// A function: code with addresses of its own. Functions that a listing keeps inside their caller (`$k$helper`) are labels of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name, if the text has it.
    pub name: Option<Name>,
    /// Its lines.
    pub range: TextRange,
    /// The target that the item states.
    pub target: Option<Target>,
    /// The generation: of the target, or guessed from the text.
    pub generation: Generation,
    /// The generation that the text alone shows.
    pub(super) guessed: Generation,
    /// Whether it is a kernel (`STO_CUDA_ENTRY`); `None` if the text does not say it.
    pub is_kernel: Option<bool>,
    /// The general registers that its header declares.
    pub registers: Option<u32>,
    /// The block barriers that its header declares.
    pub barriers: Option<u32>,
    /// Whether the lines have addresses; if not, they are numbered from 0.
    pub has_addresses: bool,
    /// The address that began it, because it is not above the one before.
    pub descends: Option<TextRange>,
    /// The instructions, by address.
    pub instructions: Vec<Instruction>,
    /// The operands of all instructions.
    pub operands: Vec<Operand>,
    /// The modifiers of all instructions, the suffixes of operands, the targets in notes.
    pub words: Vec<Word>,
    /// The labels, by address.
    pub labels: Vec<Label>,
}

/// A word of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text, without its dot.
    pub text: SmolStr,
    /// Its range, without the dot.
    pub range: TextRange,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The name.
    pub name: SmolStr,
    /// Its range.
    pub range: TextRange,
    /// The instruction after it; the number of instructions at the end.
    pub before: u32,
    /// Whether a directive declares it as a function.
    pub is_function: bool,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// From its address or first word to its end; without the encoding.
    pub range: TextRange,
    /// Its address, a number of bytes from the start of the function.
    pub address: u32,
    /// `/*0050*/`, if it is there.
    pub address_range: Option<TextRange>,
    /// `@!P0`
    pub guard: Option<Guard>,
    /// The opcode without modifiers: `IMAD`.
    pub opcode: SmolStr,
    /// The range of the opcode without modifiers.
    pub opcode_range: TextRange,
    /// Its place in a pair that is issued at once.
    pub pair: Pair,
    /// The machine code.
    pub encoding: Option<Encoding>,
    /// The control information, if its encoding is printed.
    pub control: Option<Control>,
    /// Where the operand that names a target leads.
    pub destination: Destination,
    pub(super) modifiers: (u32, u8),
    pub(super) operands: (u32, u8),
    pub(super) targets: (u32, u8),
}

/// The guard of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// `@!P0`
    pub negated: bool,
    /// Its range, with the `@`.
    pub range: TextRange,
}

impl Guard {
    /// Whether it never holds: `@!PT`.
    #[must_use]
    pub const fn is_never(&self) -> bool {
        self.negated && self.register.is_constant()
    }

    /// Whether it always holds: `@PT`.
    #[must_use]
    pub const fn is_always(&self) -> bool {
        !self.negated && self.register.is_constant()
    }
}

/// The place of an instruction in a pair that is issued at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pair {
    /// It is issued alone.
    #[default]
    None,
    /// `{`
    First,
    /// `}`
    Second,
}

/// The machine code of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The only word, or the low one.
    pub low: u64,
    /// The range of that word.
    pub range: TextRange,
    /// The high word, from Volta on.
    pub high: Option<(u64, TextRange)>,
}

/// Where a target leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Destination {
    /// The instruction has no target.
    #[default]
    None,
    /// An instruction of the function, by index.
    Instruction(u32),
    /// The end of the function: after its last instruction.
    End,
    /// A symbol that the function does not define.
    Symbol,
    /// A number that is not an instruction of the function.
    Missing,
    /// Known only when it runs.
    Indirect,
}

impl Function {
    /// The modifiers of an instruction, in order.
    #[must_use]
    pub fn modifiers(&self, instruction: &Instruction) -> &[Word] {
        words(&self.words, instruction.modifiers)
    }

    /// The operands of an instruction, in order.
    #[must_use]
    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        let (first, count) = instruction.operands;
        &self.operands[first as usize..first as usize + usize::from(count)]
    }

    /// The words after an operand, `reuse` aside.
    #[must_use]
    pub fn suffixes(&self, operand: &Operand) -> &[Word] {
        words(&self.words, (operand.first_suffix, operand.suffix_count))
    }

    /// The targets of an indirect branch that the disassembler lists: the labels of its note.
    #[must_use]
    pub fn noted_targets(&self, instruction: &Instruction) -> &[Word] {
        words(&self.words, instruction.targets)
    }

    /// Whether an instruction has a modifier.
    #[must_use]
    pub fn has_modifier(&self, instruction: &Instruction, name: &str) -> bool {
        self.modifiers(instruction).iter().any(|word| word.text == name)
    }

    /// The bytes of an instruction.
    #[must_use]
    pub fn step(&self) -> u32 {
        self.generation.instruction_bytes()
    }

    /// The index of the instruction with exactly this address.
    #[must_use]
    pub fn at_address(&self, address: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&address, |instruction| instruction.address).ok()
    }

    /// The index of the instruction that an address means: on Kepler, Maxwell and Pascal an address may be that of the control word
    /// before the instruction.
    #[must_use]
    pub fn target_at(&self, address: u32) -> Option<usize> {
        let exact = self.at_address(address);
        let group = match self.generation {
            Generation::Maxwell => 0x20,
            Generation::Kepler => 0x40,
            _ => return exact,
        };
        exact.or_else(|| {
            address.is_multiple_of(group).then(|| self.at_address(address.saturating_add(8))).flatten()
        })
    }

    /// The label with a name.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&Label> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// The labels before an instruction.
    pub fn labels_at(&self, index: usize) -> impl Iterator<Item = &Label> {
        let first = self.labels.partition_point(|label| (label.before as usize) < index);
        self.labels[first..].iter().take_while(move |label| label.before as usize == index)
    }

    /// The address of the instruction after this one in memory: that which relative targets count from.
    #[must_use]
    pub fn next_address(&self, index: usize) -> u32 {
        let address = self.instructions[index].address.saturating_add(self.step());
        match self.generation {
            Generation::Maxwell if address.is_multiple_of(0x20) => address.saturating_add(8),
            Generation::Kepler if address.is_multiple_of(0x40) => address.saturating_add(8),
            _ => address,
        }
    }

    /// The index of the instruction at an offset of the text; its encoding belongs to it.
    #[must_use]
    pub fn instruction_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.instructions.partition_point(|instruction| instruction.range.start() <= offset);
        let index = after.checked_sub(1)?;
        self.instructions[index].range.contains_inclusive(offset).then_some(index)
    }

    /// The function in which an instruction lies: the nearest label before it that is one, or the name of this function.
    #[must_use]
    pub fn enclosing(&self, index: usize) -> Option<&str> {
        let before = self.labels.iter().take_while(|label| label.before as usize <= index);
        let inner = before.filter(|label| label.is_function).last().map(|label| label.name.as_str());
        inner.or_else(|| self.name.as_ref().map(|name| name.text.as_str()))
    }
}

fn words(words: &[Word], (first, count): (u32, u8)) -> &[Word] {
    &words[first as usize..first as usize + usize::from(count)]
}
