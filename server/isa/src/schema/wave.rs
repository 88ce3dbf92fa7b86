//! Entries of WAVE.

use super::entry::{Role, Simulation};
use super::storage::*;

entries! {
    /// One instruction.
    #[derive(Debug)]
    pub struct Instruction {
        /// The guide's mnemonic: `icmp.lt`.
        mnemonic: Text,
        /// The toolchain's mnemonic, `icmp_lt`; `None` for an instruction that only the guide or the specification has.
        #[serde(default)]
        toolchain: Option<Text>,
        /// The group it belongs to.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// Its section in the specification, or the guide that describes it.
        section: Text,
        /// The first version of the specification that names it; empty for none.
        #[serde(default)]
        specification: Text,
        /// Which assemblers have it.
        #[serde(default)]
        available: Availability,
        /// Its number in the encoding; empty for none.
        #[serde(default)]
        opcode: Text,
        /// The same in numbers, where toolchain 0.1.2 has it.
        #[serde(skip_deserializing)]
        encoding: Option<Encoding>,
        /// What may follow the mnemonic after a dot.
        #[serde(default)]
        suffix: Suffix,
        /// What the simulator does with it.
        simulation: Simulation,
        /// What it does, in a sentence.
        summary: Text,
        /// The operands.
        operands: List<Operand>,
        /// The operands in the toolchain's dialect where their order differs (stores); else the same as `operands`.
        #[serde(default)]
        toolchain_operands: List<Operand>,
        /// The operands of the form that works on predicates; empty for none.
        #[serde(default)]
        predicate_operands: List<Operand>,
        /// Equivalent instructions of the toolchain, for one that it does not have or runs otherwise: `ucmp_lt pd, rs2, rs1`. Names
        /// of operands are placeholders of the written operands; the last line writes the result. `?p` is a free predicate, `?d` and
        /// `?e` are free pairs, whose second register is `?d+`, other letters are free registers. Empty for none.
        #[serde(default)]
        replacement: Slice<Text>,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// How it splits lanes or depends on which of them are there; often empty.
        #[serde(default, deserialize_with = "trimmed")]
        divergence: Text,
        /// An example in the guide's dialect.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
        /// An example in the toolchain's dialect; the same as `example` where the dialects agree, empty for none.
        #[serde(default, deserialize_with = "trimmed")]
        toolchain_example: Text,
    }

    /// One operand.
    #[derive(Debug)]
    pub struct Operand {
        /// Its name: `rd`, `rs1`, `ps`.
        name: Text,
        /// What happens to its registers.
        role: Role,
        /// The syntax it accepts.
        kinds: Words<OperandKind>,
        /// How its bits are read; empty for predicates, labels and scopes.
        #[serde(default, rename = "type")]
        ty: Text,
        /// Whether it may be omitted.
        #[serde(default)]
        optional: bool,
    }

    /// What may be written as an operand.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum OperandKind {
        /// A general register.
        #[serde(rename(deserialize = "gpr"))]
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
        #[serde(rename(deserialize = "cache hint"))]
        CacheHint,
        /// The scope, in place of the last operand: `atomic_add.device`.
        #[serde(rename(deserialize = "scope"))]
        Scope,
    }

    /// Which assemblers have an instruction.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Availability {
        /// None: only the guide or the specification has it.
        Nowhere,
        /// The crates 0.1.2 and the repository.
        Crates,
        /// The repository's newest state only.
        Repository,
    }

    /// The encoding of an instruction in toolchain 0.1.2: the numbers in its first word, and whether there is a second.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Encoding {
        /// The opcode; several instructions may share one.
        opcode: u8,
        /// Which of the instructions with this opcode.
        group: Group,
        /// Which of the group; `None` where the field means nothing, or where the assembler leaves it 0 though it should not.
        modifier: Option<u8>,
        /// Whether a second word follows.
        wide: bool,
    }

    /// What the flags of the first word choose among the instructions that share the opcode of control.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Group {
        /// No flag: control, and everything with an opcode of its own.
        Plain,
        /// Bit 0: what ends, waits and orders.
        Sync,
        /// Bit 1: moves.
        Move,
    }

    /// A directive.
    #[derive(Debug)]
    pub struct Directive {
        /// Its name, with the dot.
        name: Text,
        /// Its arguments; `[x]` may be omitted. Empty for none.
        arguments: Text,
        /// What it does, in a sentence.
        summary: Text,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// A kernel that shows it.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
    }

    /// A special register.
    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Its name.
        name: Text,
        /// Its number in the encoding.
        index: u8,
        /// Which assemblers have it.
        available: Availability,
        /// Whether all lanes of a wave read the same value.
        uniform: bool,
        /// What it holds, in a sentence.
        summary: Text,
        /// It at work.
        example: Text,
    }

    /// A class of registers.
    #[derive(Debug)]
    pub struct RegisterClass {
        /// Its name: general, half, predicate or special.
        name: Text,
        /// How its members are written.
        pattern: Text,
        /// How many bits a register has in each lane.
        bits: u8,
        /// The first register.
        first: Text,
        /// The last register.
        last: Text,
        /// What it is, in a sentence.
        summary: Text,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
    }

    /// How far an atomic or a fence reaches.
    #[derive(Debug)]
    pub struct Scope {
        /// Its name, without a dot.
        name: Text,
        /// The threads in it, in a sentence.
        summary: Text,
    }

    /// A hint about caching.
    #[derive(Debug)]
    pub struct CacheHint {
        /// Its name, with the dot.
        name: Text,
        /// What it asks for, in a sentence.
        summary: Text,
    }

    /// A name from guides and web pages that no assembler accepts.
    #[derive(Debug)]
    pub struct InvalidName {
        /// The name.
        #[serde(skip_deserializing)]
        name: Text,
        /// The replacement; empty where there is none.
        write: Text,
        /// The origin of the name and what is wrong with it.
        why: Text,
    }
    data {
        /// The names; the table has one entry each.
        names: Words<Text>,
    }

    /// A syntax that the toolchain rejects, or that has no meaning.
    #[derive(Debug)]
    pub struct Mistake {
        /// The written text.
        written: Text,
        /// The text that the toolchain accepts.
        toolchain: Text,
        /// Why.
        why: Text,
    }
}
