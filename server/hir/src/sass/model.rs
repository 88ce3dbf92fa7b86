//! The lowered form of an item.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};

use super::control::Control;
use super::operand::Operand;
use super::register::Register;
use super::section::Section;
use super::target::{Generation, Target};

/// A lowered item. Ranges are relative to the item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Code {
    /// The target that the item states for itself and for the items after it.
    pub stated: Option<Stated>,
    /// The functions: one in a code section, none in any other section, possibly several in a fragment.
    pub functions: Vec<Function>,
    pub section: Option<Section>,
}

/// A target with the text that states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    pub target: Target,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub text: SmolStr,
    pub range: TextRange,
}

/// A function: code with its own address space. Functions that a listing keeps inside their caller
/// (`$k$helper`) are labels of the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: Option<Name>,
    /// The range of its lines.
    pub range: TextRange,
    pub target: Option<Target>,
    /// Taken from the target, or guessed from the text.
    pub generation: Generation,
    pub(super) guessed: Generation,
    /// Whether it is a kernel (`STO_CUDA_ENTRY`); `None` if the text does not say.
    pub is_kernel: Option<bool>,
    /// As the header declares it.
    pub registers: Option<u32>,
    /// As the header declares it.
    pub barriers: Option<u32>,
    /// Whether the lines have addresses; if not, instructions are numbered from 0.
    pub has_addresses: bool,
    /// The address that begins the function because it is not above the previous one.
    pub descends: Option<TextRange>,
    /// In address order.
    pub instructions: Vec<Instruction>,
    pub operands: Vec<Operand>,
    /// The modifiers of all instructions, the suffixes of operands, and the targets in notes.
    pub words: Vec<Word>,
    /// In address order.
    pub labels: Vec<Label>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Without its dot.
    pub text: SmolStr,
    /// Without the dot.
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub name: SmolStr,
    pub range: TextRange,
    /// The index of the instruction after the label; at the end, the number of instructions.
    pub before: u32,
    /// Whether a directive declares the label as a function.
    pub is_function: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// From the address or first word to the end, without the encoding.
    pub range: TextRange,
    /// In bytes from the start of the function.
    pub address: u32,
    /// `/*0050*/`, if present.
    pub address_range: Option<TextRange>,
    /// `@!P0`
    pub guard: Option<Guard>,
    /// Without modifiers: `IMAD`.
    pub opcode: SmolStr,
    pub opcode_range: TextRange,
    pub pair: Pair,
    pub encoding: Option<Encoding>,
    /// The control information, if its encoding is printed.
    pub control: Option<Control>,
    pub destination: Destination,
    pub(super) modifiers: (u32, u8),
    pub(super) operands: (u32, u8),
    pub(super) targets: (u32, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    pub register: Register,
    /// `@!P0`
    pub negated: bool,
    /// Includes the `@`.
    pub range: TextRange,
}

impl Guard {
    /// Whether the guard is always true: `@PT`.
    pub const fn is_always(&self) -> bool {
        !self.negated && self.register.is_constant()
    }
}

/// The role of an instruction in a pair that issues together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pair {
    /// The instruction issues alone.
    #[default]
    None,
    /// `{`
    First,
    /// `}`
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The only word, or the low one.
    pub low: u64,
    pub range: TextRange,
    /// The high word, which exists from Volta on.
    pub high: Option<(u64, TextRange)>,
}

/// Where a target operand leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Destination {
    #[default]
    None,
    Instruction(u32),
    /// The end of the function, after its last instruction.
    End,
    /// A symbol that the function does not define.
    Symbol,
    /// An address at which the function has no instruction.
    Missing,
    /// A target that is known only at run time.
    Indirect,
}

impl Function {
    pub fn modifiers(&self, instruction: &Instruction) -> &[Word] {
        words(&self.words, instruction.modifiers)
    }

    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        let (first, count) = instruction.operands;
        &self.operands[first as usize..first as usize + usize::from(count)]
    }

    /// The suffixes of an operand, without `reuse`.
    pub fn suffixes(&self, operand: &Operand) -> &[Word] {
        words(&self.words, (operand.first_suffix, operand.suffix_count))
    }

    /// The targets of an indirect branch as the disassembler lists them, which are the labels in its note.
    pub fn noted_targets(&self, instruction: &Instruction) -> &[Word] {
        words(&self.words, instruction.targets)
    }

    pub fn has_modifier(&self, instruction: &Instruction, name: &str) -> bool {
        self.modifiers(instruction).iter().any(|word| word.text == name)
    }

    pub fn step(&self) -> u32 {
        self.generation.instruction_bytes()
    }

    /// The index of the instruction with exactly this address.
    pub fn at_address(&self, address: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&address, |instruction| instruction.address).ok()
    }

    /// The index of the instruction that an address refers to. On Kepler, Maxwell and Pascal this may be the
    /// address of the control word before the instruction.
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

    pub fn label(&self, name: &str) -> Option<&Label> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// The labels directly before an instruction.
    pub fn labels_at(&self, index: usize) -> impl Iterator<Item = &Label> {
        let first = self.labels.partition_point(|label| (label.before as usize) < index);
        self.labels[first..].iter().take_while(move |label| label.before as usize == index)
    }

    /// The address of the next instruction in memory, which relative targets are counted from.
    pub fn next_address(&self, index: usize) -> u32 {
        let address = self.instructions[index].address.saturating_add(self.step());
        match self.generation {
            Generation::Maxwell if address.is_multiple_of(0x20) => address.saturating_add(8),
            Generation::Kepler if address.is_multiple_of(0x40) => address.saturating_add(8),
            _ => address,
        }
    }

    /// Whether an address follows the last instruction.
    pub fn ends_at(&self, address: i64) -> bool {
        let Some(last) = self.instructions.len().checked_sub(1) else { return false };
        let end = i64::from(self.instructions[last].address) + i64::from(self.step());
        (end..=i64::from(self.next_address(last))).contains(&address)
    }

    pub fn instruction_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.instructions.partition_point(|instruction| instruction.range.start() <= offset);
        let index = after.checked_sub(1)?;
        self.instructions[index].range.contains_inclusive(offset).then_some(index)
    }

    /// The name of the function around an instruction: the nearest label before it that is a function, or the
    /// name of this function.
    pub fn enclosing(&self, index: usize) -> Option<&str> {
        let before = self.labels.iter().take_while(|label| label.before as usize <= index);
        let inner = before.filter(|label| label.is_function).last().map(|label| label.name.as_str());
        inner.or_else(|| self.name.as_ref().map(|name| name.text.as_str()))
    }
}

fn words(words: &[Word], (first, count): (u32, u8)) -> &[Word] {
    &words[first as usize..first as usize + usize::from(count)]
}
