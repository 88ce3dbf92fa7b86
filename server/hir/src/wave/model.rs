//! The data that `lower` produces. It refers to no tree and no text.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::OnceLock;

use smallvec::SmallVec;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_isa::wave as isa;

use super::Problem;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// The kernel's header; `None` for code between kernels.
    pub kernel: Option<KernelHeader>,
    /// `.registers`, `.local_memory` and `.workgroup_size`.
    pub resources: Resources,
    pub sizes: Vec<WorkgroupSize>,
    /// In text order.
    pub instructions: Vec<Instruction>,
    /// For each instruction, its links to the rest of its construct.
    pub links: Vec<Option<Link>>,
    /// For each instruction, the innermost `if` or `loop` around it.
    pub parents: Vec<Option<u32>>,
    /// In text order.
    pub labels: Vec<Label>,
    pub(super) bare_guards: Vec<Guard>,
    /// The words among the operands that are not scopes. Operands hold indices into this list.
    pub(super) words: Vec<SmolStr>,
    /// In text order.
    pub problems: Vec<Problem>,
    pub(super) names: Names,
}

impl Code {
    pub fn kernel_name(&self) -> Option<&(SmolStr, TextRange)> {
        self.kernel.as_ref()?.name.as_ref()
    }

    pub fn word(&self, word: Word) -> &SmolStr {
        &self.words[word.0 as usize]
    }

    /// The instruction whose text, from its guard to its last operand, touches `offset`.
    pub fn instruction_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.instructions.partition_point(|instruction| instruction.range.start() <= offset);
        let index = after.checked_sub(1)?;
        (self.instructions[index].range.end() >= offset).then_some(index)
    }

    /// The instructions that form a construct with `index`: an `if` with its `else` and `endif`, or a `loop`
    /// with its `endloop` and every `break` and `continue`. Empty for other instructions.
    pub fn construct(&self, index: usize) -> Vec<usize> {
        let Some(link) = self.links.get(index).copied().flatten() else { return Vec::new() };
        let opener = link.opener().unwrap_or(index as u32);
        let belongs = |at: &usize| {
            *at as u32 == opener || self.links[*at].is_some_and(|link| link.opener() == Some(opener))
        };
        (0..self.links.len()).filter(belongs).collect()
    }

    /// The constructs around an instruction, innermost first. The first and last instruction of a construct are
    /// outside it.
    pub(crate) fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let parent = |at: usize| self.parents.get(at).copied().flatten().map(|open| open as usize);
        std::iter::successors(parent(at), move |open| parent(*open))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelHeader {
    pub name: Option<(SmolStr, TextRange)>,
    /// Covers the directive and the name.
    pub range: TextRange,
    pub end: Option<TextRange>,
}

impl KernelHeader {
    /// Whether an offset is between the header and `.end`.
    pub fn encloses(&self, offset: TextSize) -> bool {
        self.range.end() <= offset && self.end.is_none_or(|end| offset <= end.start())
    }
}

/// The resource directives of a kernel. If a directive is repeated, the last one applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    pub registers: Option<Resource<u32>>,
    /// `.local_memory`, in bytes
    pub local_memory: Option<Resource<u32>>,
    /// `.workgroup_size`; a single number, as in the guide, is x
    pub workgroup_size: Option<Resource<[u32; 3]>>,
}

impl Resources {
    /// The number of general registers of a thread without a `.registers` directive.
    pub const DEFAULT_REGISTERS: u32 = 32;

    pub fn register_count(&self) -> u32 {
        self.registers.map_or(Self::DEFAULT_REGISTERS, |registers| registers.value)
    }
}

/// The value of a resource directive, and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource<T> {
    pub value: T,
    /// Covers the directive and its arguments.
    pub range: TextRange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkgroupSize {
    /// Covers the directive and its arguments.
    pub range: TextRange,
    /// How many numbers are written; the guide makes y and z optional.
    pub written: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub name: SmolStr,
    /// Covers the name without the colon.
    pub range: TextRange,
    /// The index of the instruction after the label; at the end, the number of instructions.
    pub before: u32,
}

pub(crate) const MOST_OPERANDS: usize = 4;

/// The operands of an instruction, stored inline, because a kernel has thousands of such lists.
pub type Operands = SmallVec<[Operand; MOST_OPERANDS]>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// From the guard to the last operand.
    pub range: TextRange,
    /// The range of the mnemonic and all suffixes, including those that are not part of its name.
    pub mnemonic_range: TextRange,
    /// The mnemonic as written, with only the suffixes that are part of its name: `icmp.lt`, `icmp_lt`,
    /// `device_load.u32`.
    pub mnemonic: SmolStr,
    /// The entry in the tables; `None` for an unknown instruction.
    pub entry: Option<Entry>,
    pub guard: Option<Guard>,
    /// `.streaming` or another cache hint, valid here or not, as an index into the hints of the tables.
    pub hint: Option<u8>,
    /// The operands as written. A scope that was written as a suffix comes last.
    pub operands: Operands,
    /// Whether the operands fit a form of the instruction, so that it can be executed.
    pub complete: bool,
}

impl Instruction {
    /// The name in the tables, which is the guide's; empty for an unknown instruction.
    pub fn name(&self) -> &'static str {
        self.entry.map_or("", |entry| entry.0.mnemonic)
    }

    pub fn operand(&self, name: &str) -> Option<&Operand> {
        self.operands.iter().find(|operand| operand.name == name)
    }
}

/// An entry of the instruction tables. Entries are compared by pointer.
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
    pub register: TextRange,
    pub predicate: u8,
    pub negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    pub range: TextRange,
    pub value: Value,
    /// The name in the instruction's form (`rd`, `addr`); empty if the operand fits no form.
    pub name: &'static str,
    pub role: Role,
    /// The number of registers, starting at the written one: 2 if the form has 64 bits here.
    pub registers: u8,
}

/// The value of an operand. It is small because it is copied often: texts are in the [`Code`] or in the
/// tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// `r3`, `r3.hi`
    Register {
        index: u8,
        half: Option<Half>,
    },
    /// A matrix fragment, written as a register.
    Fragment(u8),
    /// `p0`, `!p0`
    Predicate {
        index: u8,
        negated: bool,
    },
    Special(Special),
    /// `42`, `0xff`
    Integer {
        value: i64,
        /// Whether it was written in hexadecimal, so that only its bits matter.
        hexadecimal: bool,
    },
    /// `1.5`, as the bits of a double.
    Float(u64),
    /// A word that is not a scope.
    Label(Word),
    /// `.device`, `device`
    Scope(Scope),
    /// An operand that did not parse, or a register or number out of range. It is reported elsewhere.
    Invalid,
}

/// A word among the operands, as an index into the words of the [`Code`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub(super) u32);

/// A special register in the tables. Special registers are compared by pointer.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// Bits 15 to 0.
    Low,
    /// Bits 31 to 16.
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    Wave,
    Workgroup,
    Device,
    System,
}

impl Scope {
    /// Parses a scope, given with or without its dot.
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

/// How a structural instruction is linked with the other instructions of its construct, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    If {
        otherwise: Option<u32>,
        end: Option<u32>,
    },
    Else {
        open: u32,
        end: Option<u32>,
    },
    EndIf {
        open: u32,
    },
    Loop {
        end: Option<u32>,
    },
    EndLoop {
        open: u32,
    },
    /// A `break` or `continue`.
    Leave {
        /// The `loop` that it exits or restarts.
        open: u32,
    },
}

impl Link {
    /// The instruction that opens the construct; `None` for that instruction itself.
    pub(crate) fn opener(self) -> Option<u32> {
        match self {
            Link::If { .. } | Link::Loop { .. } => None,
            Link::Else { open, .. }
            | Link::EndIf { open }
            | Link::EndLoop { open }
            | Link::Leave { open } => Some(open),
        }
    }
}

/// What an occurrence does with the named thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Declaration,
    Read,
    Write,
    ReadWrite,
    Call,
    /// The role is unknown because the instruction or the operand does not fit.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Name {
    Kernel(SmolStr),
    Label(SmolStr),
    Register(u8),
    Predicate(u8),
    Special(Special),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRef {
    /// Where, without guard, `!` and half.
    pub range: TextRange,
    pub name: Name,
    pub role: Role,
}

/// The names of a [`Code`], once they were asked for. Equal code has equal names.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(pub(super) OnceLock<Vec<NameRef>>);

impl PartialEq for Names {
    fn eq(&self, _: &Names) -> bool {
        true
    }
}

impl Eq for Names {}
