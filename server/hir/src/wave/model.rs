//! The data that `lower` produces. It refers to no tree and no text.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use smallvec::SmallVec;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::wave as isa;

use super::Problem;
use super::names::Names;

/// The code of one item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// The kernel's header; `None` for code between kernels.
    pub kernel: Option<KernelHeader>,
    /// `.registers` and the like.
    pub resources: Resources,
    /// Every `.workgroup_size`, in text order.
    pub sizes: Vec<WorkgroupSize>,
    /// In text order.
    pub instructions: Vec<Instruction>,
    /// For each instruction, what it is joined with.
    pub links: Vec<Option<Link>>,
    /// For each instruction, the innermost `if` or `loop` around it.
    pub parents: Vec<Option<u32>>,
    /// In text order.
    pub labels: Vec<Label>,
    /// The guards that have no instruction after them.
    pub(super) bare_guards: Vec<Guard>,
    /// The words among the operands that are not scopes; operands hold their numbers.
    pub(super) words: Vec<SmolStr>,
    /// In text order.
    pub problems: Vec<Problem>,
    pub(super) names: Names,
}

impl Code {
    /// The text of a word among the operands.
    pub fn word(&self, word: Word) -> &SmolStr {
        &self.words[word.0 as usize]
    }

    /// The instruction whose text, from its guard to its last operand, touches `offset`.
    pub fn instruction_at(&self, offset: text_size::TextSize) -> Option<usize> {
        let after = self.instructions.partition_point(|instruction| instruction.range.start() <= offset);
        let index = after.checked_sub(1)?;
        (self.instructions[index].range.end() >= offset).then_some(index)
    }

    /// The instructions that make one construct with `index`: an `if` with its `else` and `endif`, or a `loop` with its
    /// `endloop` and every `break` and `continue` of it. Empty for other instructions.
    pub fn construct(&self, index: usize) -> Vec<usize> {
        let opener = match self.links.get(index) {
            Some(Some(Link::If { .. } | Link::Loop { .. })) => index as u32,
            Some(Some(
                Link::Else { open, .. }
                | Link::EndIf { open }
                | Link::EndLoop { open }
                | Link::Leave { open },
            )) => *open,
            _ => return Vec::new(),
        };
        let belongs = |(at, link): (usize, &Option<Link>)| match link {
            Some(
                Link::Else { open, .. }
                | Link::EndIf { open }
                | Link::EndLoop { open }
                | Link::Leave { open },
            ) => (*open == opener).then_some(at),
            _ => (at as u32 == opener).then_some(at),
        };
        self.links.iter().enumerate().filter_map(belongs).collect()
    }
}

/// `.kernel name`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelHeader {
    /// The name and its range, if there is one.
    pub name: Option<(SmolStr, TextRange)>,
    /// The directive and the name.
    pub range: TextRange,
    /// The range of `.end`, if there is one.
    pub end: Option<TextRange>,
}

/// The resource directives of a kernel; of repeated ones the last applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// `.registers`
    pub registers: Option<Resource<u32>>,
    /// `.local_memory`, in bytes
    pub local_memory: Option<Resource<u32>>,
    /// `.workgroup_size`; the guide's single number stands for x
    pub workgroup_size: Option<Resource<[u32; 3]>>,
}

impl Resources {
    /// General registers of a thread when `.registers` is absent.
    pub const DEFAULT_REGISTERS: u32 = 32;

    /// General registers of a thread.
    pub fn register_count(&self) -> u32 {
        self.registers.map_or(Self::DEFAULT_REGISTERS, |registers| registers.value)
    }
}

/// The value of a resource directive, and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource<T> {
    /// The number or numbers.
    pub value: T,
    /// The directive with its arguments.
    pub range: TextRange,
}

/// One `.workgroup_size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkgroupSize {
    /// The directive with its arguments.
    pub range: TextRange,
    /// How many numbers are written; y and z are optional in the guide.
    pub written: u8,
}

/// A label of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: SmolStr,
    /// The name, without the colon.
    pub range: TextRange,
    /// The index of the instruction after it; one past the last at the end.
    pub before: u32,
}

/// As many operands as instructions have.
pub(crate) const MOST_OPERANDS: usize = 4;

/// The operands of an instruction, in one place with it: a kernel has thousands of such lists.
pub type Operands = SmallVec<[Operand; MOST_OPERANDS]>;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// From the guard to the last operand.
    pub range: TextRange,
    /// The mnemonic, with the suffixes that belong to its name and those that do not.
    pub mnemonic_range: TextRange,
    /// The mnemonic as written, without suffixes that are not part of its name: `icmp.lt`, `icmp_lt`, `device_load.u32`.
    pub mnemonic: SmolStr,
    /// Its entry in the tables; `None` for an unknown instruction.
    pub entry: Option<Entry>,
    /// `@p1`
    pub guard: Option<Guard>,
    /// `.streaming`, whether it belongs there or not: its place among the tables' hints.
    pub hint: Option<u8>,
    /// As written; a scope that was written as a suffix comes last.
    pub operands: Operands,
    /// Whether the operands are those of a form of the instruction, so that it can be run.
    pub complete: bool,
}

impl Instruction {
    /// Its name in the tables, which is the guide's; empty for an unknown instruction.
    pub fn name(&self) -> &'static str {
        self.entry.map_or("", |entry| entry.0.mnemonic)
    }

    /// The operand that the instruction's form calls `name`.
    pub fn operand(&self, name: &str) -> Option<&Operand> {
        self.operands.iter().find(|operand| operand.name == name)
    }
}

/// An entry of the instruction tables. Entries are equal if they are the same one.
#[derive(Debug, Clone, Copy)]
pub struct Entry(pub &'static isa::Instruction);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Entry {}

impl Deref for Entry {
    type Target = isa::Instruction;

    fn deref(&self) -> &isa::Instruction {
        self.0
    }
}

/// The predicate in front of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// From `@` to the register.
    pub range: TextRange,
    /// The register alone.
    pub register: TextRange,
    /// The predicate register.
    pub predicate: u8,
    /// `@!`
    pub negated: bool,
}

/// One operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// Its range.
    pub range: TextRange,
    /// The value.
    pub value: Value,
    /// Its name in the instruction's form (`rd`, `addr`); empty if it fits no form.
    pub name: &'static str,
    /// Its role in the instruction.
    pub role: Role,
    /// How many registers it stands for, from the one that is written on: 2 where the form takes 64 bits.
    pub registers: u8,
}

/// The value of an operand. It is small and is copied often: text lies in the [`Code`] or in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// `r3`, `r3.hi`
    Register {
        /// Which.
        index: u8,
        /// The half that is meant, if one is named.
        half: Option<Half>,
    },
    /// A matrix fragment, written as a register.
    Fragment(u8),
    /// `p0`, `!p0`
    Predicate {
        /// Which.
        index: u8,
        /// `!`
        negated: bool,
    },
    /// `sr_lane_id`
    Special(Special),
    /// `42`, `0xff`
    Integer {
        /// The value.
        value: i64,
        /// Whether it was written in hexadecimal, so that its bits are meant.
        hexadecimal: bool,
    },
    /// `1.5`: the bits of the binary64 value.
    Float(u64),
    /// A word that is not a scope.
    Label(Word),
    /// `.device`, `device`
    Scope(Scope),
    /// Something that did not parse, or a register or number out of range; reported elsewhere.
    Invalid,
}

/// A word among the operands, as the number that the [`Code`] gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub(super) u32);

/// A special register of the tables. Special registers are equal if they are the same one.
#[derive(Clone, Copy)]
pub struct Special(pub &'static isa::SpecialRegister);

impl PartialEq for Special {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Special {}

impl Hash for Special {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl fmt::Debug for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.name, f)
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Deref for Special {
    type Target = isa::SpecialRegister;

    fn deref(&self) -> &isa::SpecialRegister {
        self.0
    }
}

/// A half of a general register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// Bits 15 to 0.
    Low,
    /// Bits 31 to 16.
    High,
}

/// The scope of an atomic or a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The lanes of the wave.
    Wave,
    /// The workgroup.
    Workgroup,
    /// The device.
    Device,
    /// The whole system.
    System,
}

impl Scope {
    /// The scope of this name, with or without a dot.
    pub fn of(word: &str) -> Option<Scope> {
        Some(match word.strip_prefix('.').unwrap_or(word) {
            "wave" => Scope::Wave,
            "workgroup" => Scope::Workgroup,
            "device" => Scope::Device,
            "system" => Scope::System,
            _ => return None,
        })
    }
}

/// How a structural instruction is joined with others, by their indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// An `if`.
    If {
        /// Its `else`.
        otherwise: Option<u32>,
        /// Its `endif`.
        end: Option<u32>,
    },
    /// An `else`.
    Else {
        /// Its `if`.
        open: u32,
        /// Their `endif`.
        end: Option<u32>,
    },
    /// An `endif`.
    EndIf {
        /// Its `if`.
        open: u32,
    },
    /// A `loop`.
    Loop {
        /// Its `endloop`.
        end: Option<u32>,
    },
    /// An `endloop`.
    EndLoop {
        /// Its `loop`.
        open: u32,
    },
    /// A `break` or `continue`.
    Leave {
        /// The `loop` that it leaves or starts again.
        open: u32,
    },
}

/// The role of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Declares it.
    Declaration,
    /// Reads its value.
    Read,
    /// Writes its value.
    Write,
    /// Reads and writes it.
    ReadWrite,
    /// Calls it.
    Call,
    /// Nothing known: the instruction or the operand does not fit.
    Unknown,
}
