//! Instructions and their operands.

use super::Encoding;
use crate::generated::wave as tables;
use crate::tables::list;
use crate::{Category, List, Role, Shared, Simulation};

/// One instruction.
#[derive(Debug)]
pub struct Instruction {
    /// The guide's mnemonic: `icmp.lt`.
    pub mnemonic: &'static str,
    /// The toolchain's mnemonic, `icmp_lt`; `None` for an instruction that only the guide or the specification has.
    pub toolchain: Option<&'static str>,
    /// The group it belongs to.
    pub category: &'static Category,
    /// Its section in the specification, or the guide that describes it.
    pub section: &'static str,
    /// The first version of the specification that names it; empty for none.
    pub specification: &'static str,
    /// Which assemblers have it.
    pub available: Availability,
    /// Its number in the encoding; empty for none.
    pub opcode: &'static str,
    /// The same in numbers, where toolchain 0.1.2 has it.
    pub encoding: Option<Encoding>,
    /// What may follow the mnemonic after a dot.
    pub suffix: Suffix,
    /// What the simulator does with it.
    pub simulation: Simulation,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The operands.
    pub operands: List<Operand>,
    /// The operands in the toolchain's dialect where their order differs (stores); else the same as `operands`.
    pub toolchain_operands: List<Operand>,
    /// The operands of the form that works on predicates; empty for none.
    pub predicate_operands: List<Operand>,
    /// Equivalent instructions of the toolchain, for one that it does not have or runs otherwise: `ucmp_lt pd, rs2, rs1`. Names
    /// of operands are placeholders of the written operands; the last line writes the result. `?p` is a free predicate, `?d` and
    /// `?e` are free pairs, whose second register is `?d+`, other letters are free registers. Empty for none.
    pub replacement: &'static [&'static str],
    /// What one should know besides.
    pub notes: &'static [&'static str],
    /// How it splits lanes or depends on which of them are there; often empty.
    pub divergence: &'static str,
    /// An example in the guide's dialect.
    pub example: &'static str,
    /// An example in the toolchain's dialect; the same as `example` where the dialects agree, empty for none.
    pub toolchain_example: &'static str,
}

impl Instruction {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        mnemonic: "",
        toolchain: None,
        category: &tables::CATEGORIES[0],
        section: "",
        specification: "",
        available: Availability::Nowhere,
        opcode: "",
        encoding: None,
        suffix: Suffix::None,
        simulation: Simulation::Simulated,
        summary: "",
        operands: list(&[]),
        toolchain_operands: list(&[]),
        predicate_operands: list(&[]),
        replacement: &[],
        notes: &[],
        divergence: "",
        example: "",
        toolchain_example: "",
    };

    /// The operands in the dialect of the written mnemonic.
    pub fn operands_of(&self, mnemonic: &str) -> List<Operand> {
        if self.mnemonic == mnemonic { self.operands } else { self.toolchain_operands }
    }
}

/// One operand.
#[derive(Debug)]
pub struct Operand {
    /// Its name: `rd`, `rs1`, `ps`.
    pub name: &'static str,
    /// What happens to its registers.
    pub role: Role,
    /// The syntax it accepts.
    pub kinds: &'static [OperandKind],
    /// How its bits are read; empty for predicates, labels and scopes.
    pub ty: &'static str,
    /// Whether it may be omitted.
    pub optional: bool,
}

impl Shared for Operand {
    const TABLE: &'static [Self] = &tables::OPERAND;
}

impl Operand {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self { name: "", role: Role::Read, kinds: &[], ty: "", optional: false };
}

/// What may be written as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// A general register.
    General,
    /// A predicate register.
    Predicate,
    /// A predicate register with `!`, in the guide's dialect only.
    NotPredicate,
    /// A special register.
    Special,
    /// A number. The toolchain takes one in `mov_imm` only.
    Immediate,
    /// A label.
    Label,
    /// A scope, with or without a dot.
    Scope,
    /// A matrix fragment, written as a general register.
    Fragment,
}

/// What may follow a mnemonic after a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// Nothing.
    None,
    /// A cache hint: `device_load.u32.streaming`.
    CacheHint,
    /// The scope, in place of the last operand: `atomic_add.device`.
    Scope,
}

/// Which assemblers have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// The crates 0.1.2 and the repository.
    Crates,
    /// The repository's newest state only.
    Repository,
    /// None: only the guide or the specification has it.
    Nowhere,
}

/// All instructions, grouped by category.
pub fn instructions() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

/// The groups.
pub fn categories() -> &'static [Category] {
    &tables::CATEGORIES
}

/// The instruction with this mnemonic, in either dialect.
pub fn instruction(mnemonic: &str) -> Option<&'static Instruction> {
    tables::MNEMONICS.get(mnemonic).map(|index| tables::INSTRUCTIONS[index])
}
