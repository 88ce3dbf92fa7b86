//! Entries of WAVE.

use super::entry::{Role, Simulation};
use super::storage::*;

entries! {
    #[derive(Debug)]
    pub struct Instruction {
        /// The guide's mnemonic: `icmp.lt`.
        mnemonic: Text,
        /// The toolchain's mnemonic, `icmp_lt`; `None` for an instruction that only the guide or the specification has.
        #[serde(default)]
        toolchain: Option<Text>,
        /// The category, from the data file that the entry is in.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// Section of the specification, or the guide that describes it.
        section: Text,
        /// The first version of the specification that names it; empty if none does.
        #[serde(default)]
        specification: Text,
        /// The assemblers that have it.
        #[serde(default)]
        available: Availability,
        /// Its number in the encoding; empty if it has none.
        #[serde(default)]
        opcode: Text,
        /// The encoding as numbers, if toolchain 0.1.2 has the instruction.
        #[serde(skip_deserializing)]
        encoding: Option<Encoding>,
        /// What may follow the mnemonic after a dot.
        #[serde(default)]
        suffix: Suffix,
        /// How far the simulator supports it.
        simulation: Simulation,
        /// One sentence: what the instruction does.
        summary: Text,
        /// The operands in the guide's dialect.
        operands: List<Operand>,
        /// The operands in the toolchain's dialect. Their order differs for stores; otherwise they equal
        /// `operands`.
        #[serde(default)]
        toolchain_operands: List<Operand>,
        /// The operands of the form that works on predicates; empty if there is none.
        #[serde(default)]
        predicate_operands: List<Operand>,
        /// Equivalent instructions of the toolchain, for an instruction that it lacks or runs differently:
        /// `ucmp_lt pd, rs2, rs1`. Operand names are placeholders for the written operands; the last line writes the result. `?p`
        /// is a free predicate, `?d` and `?e` are free pairs whose second register is `?d+`, and other letters are free
        /// registers. Empty if there is no equivalent.
        #[serde(default)]
        replacement: Slice<Text>,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// How it makes lanes diverge, or depends on which lanes are active; often empty.
        #[serde(default, deserialize_with = "trimmed")]
        divergence: Text,
        /// An example in the guide's dialect.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
        /// An example in the toolchain's dialect. Equals `example` if the dialects agree; empty if the toolchain
        /// lacks the instruction.
        #[serde(default, deserialize_with = "trimmed")]
        toolchain_example: Text,
    }

    #[derive(Debug)]
    pub struct Operand {
        /// Name, such as `rd`, `rs1` or `ps`.
        name: Text,
        /// Whether its registers are read or written.
        role: Role,
        /// The syntax it accepts.
        kinds: Words<OperandKind>,
        /// How its bits are interpreted; empty for predicates, labels and scopes.
        #[serde(default, rename = "type")]
        ty: Text,
        #[serde(default)]
        optional: bool,
    }

    /// The syntax of an operand.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum OperandKind {
        #[serde(rename(deserialize = "gpr"))]
        General,
        Predicate,
        /// A predicate register with `!`, in the guide's dialect only.
        NotPredicate,
        Special,
        /// A number. The toolchain accepts one in `mov_imm` only.
        Immediate,
        Label,
        /// A scope, with or without a dot.
        Scope,
        /// A matrix fragment, written as a general register.
        Fragment,
    }

    /// What may follow a mnemonic after a dot.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Suffix {
        None,
        /// A cache hint: `device_load.u32.streaming`.
        #[serde(rename(deserialize = "cache hint"))]
        CacheHint,
        /// The scope, instead of the last operand: `atomic_add.device`.
        #[serde(rename(deserialize = "scope"))]
        Scope,
    }

    /// The assemblers that have an instruction.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Availability {
        /// None: only the guide or the specification has it.
        Nowhere,
        /// The published crates 0.1.2 and the repository.
        Crates,
        /// Only the newest state of the repository.
        Repository,
    }

    /// The encoding of an instruction in toolchain 0.1.2: the fields of its first word, and whether there is a second
    /// one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Encoding {
        /// The opcode; several instructions may share one.
        opcode: u8,
        /// Distinguishes instructions with this opcode by a flag.
        group: Group,
        /// Distinguishes instructions of the group; `None` if the field has no meaning, or if the assembler wrongly leaves it
        /// 0.
        modifier: Option<u8>,
        /// Whether a second word follows.
        wide: bool,
    }

    /// The flag of the first word that distinguishes the instructions which share the control opcode.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Group {
        /// No flag: control, and every instruction with an opcode of its own.
        Plain,
        /// Bit 0: instructions that end, wait or order.
        Sync,
        /// Bit 1: moves.
        Move,
    }

    #[derive(Debug)]
    pub struct Directive {
        /// Its name, with the dot.
        name: Text,
        /// Arguments; `[x]` may be omitted. Empty if there are none.
        arguments: Text,
        /// One sentence: what the directive does.
        summary: Text,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// A kernel that uses it.
        #[serde(deserialize_with = "trimmed")]
        example: Text,
    }

    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Name, as written.
        name: Text,
        /// Number in the encoding.
        index: u8,
        /// The assemblers that have it.
        available: Availability,
        /// Whether all lanes of a wave read equal values.
        uniform: bool,
        /// One sentence: what the register contains.
        summary: Text,
        /// An example that reads it.
        example: Text,
    }

    #[derive(Debug)]
    pub struct RegisterClass {
        /// Name: general, half, predicate or special.
        name: Text,
        /// How its registers are written.
        pattern: Text,
        /// Width of a register in each lane, in bits.
        bits: u8,
        /// The register with the lowest number.
        first: Text,
        /// The register with the highest number.
        last: Text,
        /// One sentence: what the class is.
        summary: Text,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
    }

    /// The set of threads for which an atomic or a fence is effective.
    #[derive(Debug)]
    pub struct Scope {
        /// Its name, without a dot.
        name: Text,
        /// One sentence: which threads it comprises.
        summary: Text,
    }

    #[derive(Debug)]
    pub struct CacheHint {
        /// Its name, with the dot.
        name: Text,
        /// One sentence: what it requests.
        summary: Text,
    }

    /// A name from guides and web pages that no assembler accepts.
    #[derive(Debug)]
    pub struct InvalidName {
        /// The name, as written.
        #[serde(skip_deserializing)]
        name: Text,
        /// The replacement; empty if there is none.
        write: Text,
        /// Where the name is found, and what is wrong with it.
        why: Text,
    }
    data {
        /// The names; each one becomes an entry of the table.
        names: Words<Text>,
    }

    /// Syntax that the toolchain rejects, or that has no meaning.
    #[derive(Debug)]
    pub struct Mistake {
        /// The syntax as people write it.
        written: Text,
        /// What the toolchain accepts instead.
        toolchain: Text,
        why: Text,
    }
}
