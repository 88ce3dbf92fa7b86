//! Entries of SASS.

use super::storage::*;

entries! {
    /// An opcode of one or several generations.
    #[derive(Debug)]
    pub struct Instruction {
        /// Name, such as `IMAD`.
        opcode: Text,
        /// The category, from the data file that the entry is in.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// The generations that have it; empty for a name that only documents use.
        generations: Words<Generation>,
        /// One sentence: what the instruction does.
        summary: Text,
        /// The operands in printed order; often empty.
        #[serde(default)]
        operands: Text,
        /// The least and the greatest number of operands other than predicates, with the destination; `(0, 0)` if unknown.
        #[serde(default, deserialize_with = "count")]
        operand_count: (u8, u8),
        #[serde(default)]
        predicate: PredicateOperand,
        /// Whether a mask of the bytes that it writes, an immediate, may follow the operands.
        #[serde(default)]
        byte_mask: bool,
        /// Its effect on control flow.
        #[serde(default)]
        flow: Flow,
        #[serde(default)]
        writes: Writes,
        /// What it computes: `d` is the destination, `a`, `b`, `c` are the sources in printed order, `p` and `q` are predicates.
        /// Empty if unknown. In the data, `@OPCODE` refers to the effect of another opcode.
        #[serde(default)]
        effect: Text,
        /// What it computes before Volta, if different; often empty.
        #[serde(default)]
        earlier: Text,
        /// How the effect was established.
        #[serde(default)]
        proof: Proof,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// An example statement; often empty.
        #[serde(default)]
        example: Text,
        /// The modifiers, with their meanings for this opcode.
        #[serde(default)]
        modifiers: List<Modifier>,
    }

    #[derive(Debug)]
    pub struct Modifier {
        /// Name, without the dot.
        name: Text,
        /// Meaning, in a few words.
        meaning: Text,
    }

    /// A predicate that an instruction must have.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PredicateOperand {
        /// None, or unknown.
        None,
        /// Its first operand, which it writes.
        Destination,
        /// The operand by which it chooses.
        Selector,
    }

    /// A generation of instruction sets.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Generation {
        /// sm_20, sm_21
        Fermi,
        /// sm_30 to sm_37
        Kepler,
        /// sm_50 to sm_62: Maxwell and Pascal
        Maxwell,
        /// sm_70, sm_72
        Volta,
        /// sm_75
        Turing,
        /// sm_80 to sm_89: Ampere and Ada
        Ampere,
        /// sm_90
        Hopper,
        /// sm_100 to sm_121
        Blackwell,
    }

    /// How an instruction changes control flow.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Flow {
        /// Control continues with the next instruction.
        Next,
        /// It branches to its last operand.
        Branch,
        IndirectBranch,
        /// It calls its last operand.
        Call,
        Return,
        /// It pushes a token with the address in its last operand.
        Push,
        /// Lanes wait at the token of this kind until the others reach it.
        Pop,
        /// It adds lanes to a convergence barrier; the last operand is where they reconverge.
        BarrierSet,
        /// Lanes wait in a convergence barrier.
        BarrierSync,
        /// It removes lanes from a convergence barrier.
        BarrierBreak,
        /// Lanes wait for each other.
        #[serde(rename(deserialize = "warpsync"))]
        WarpSync,
        Exit,
        Trap,
    }

    /// Which of its first operands an instruction writes.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Writes {
        /// Predicates, then a register.
        Registers,
        Predicates,
        /// None: it only reads.
        Nothing,
    }

    /// How an effect was established.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Proof {
        None,
        /// Executed: the results equal those of the PTX that the code was assembled from.
        Run,
        /// Executed with some of the modifiers.
        Partly,
        /// A rule of this project.
        Assumed,
    }

    /// A word after an operand, or an operand that is a word.
    #[derive(Debug)]
    pub struct OperandWord {
        /// The word, as printed.
        name: Text,
        /// Meaning, in a few words.
        meaning: Text,
    }

    /// A sequence of instructions that compilers emit for one operation.
    #[derive(Debug)]
    pub struct Sequence {
        name: Text,
        /// One sentence: how it is computed.
        detail: Text,
        /// The instructions in order, each as alternative opcodes with some of their modifiers.
        steps: Words<Text>,
        /// The number of consecutive instructions that contain all of them.
        window: u8,
    }

    /// A test of the condition code.
    #[derive(Debug)]
    pub struct ConditionTest {
        /// Name, such as `GEU`.
        name: Text,
        /// When it is true: the flags, and what that means after a comparison.
        test: Text,
    }

    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Name, such as `SR_TID.X`.
        name: Text,
        /// One sentence: what the register contains.
        summary: Text,
        /// The PTX special register with this value; often empty.
        #[serde(default)]
        ptx: Text,
        /// Whether the lanes of a warp read different values.
        #[serde(default)]
        varies: bool,
    }

    /// A value that a launch puts into constant bank 0, at an offset that depends on the generation.
    #[derive(Debug)]
    pub struct LaunchConstant {
        /// Name, for hovers and documentation.
        name: Text,
        /// Size in bytes.
        size: u8,
        /// One sentence: what the value is.
        summary: Text,
        /// The PTX special register with this value; often empty.
        #[serde(default)]
        ptx: Text,
        #[serde(default)]
        fermi: Option<u16>,
        #[serde(default)]
        kepler: Option<u16>,
        /// sm_50 to sm_53
        #[serde(default)]
        maxwell: Option<u16>,
        /// sm_60 to sm_62
        #[serde(default)]
        pascal: Option<u16>,
        /// Offset on Volta and Turing.
        #[serde(default)]
        volta: Option<u16>,
        /// Ampere and Ada
        #[serde(default)]
        ampere: Option<u16>,
        #[serde(default)]
        hopper: Option<u16>,
        #[serde(default)]
        blackwell: Option<u16>,
    }
}
