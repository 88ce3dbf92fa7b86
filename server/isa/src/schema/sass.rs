//! Entries of SASS.

use super::storage::*;

entries! {
    /// An opcode of one or several generations.
    #[derive(Debug)]
    pub struct Instruction {
        /// Its name: `IMAD`.
        opcode: Text,
        /// The group it belongs to.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// The generations that have it; none for a name that only documents use.
        generations: Words<Generation>,
        /// What it does, in a sentence.
        summary: Text,
        /// The operands as the printed order has them; often empty.
        #[serde(default)]
        operands: Text,
        /// How it changes where control continues.
        #[serde(default)]
        flow: Flow,
        /// What its first operands are.
        #[serde(default)]
        writes: Writes,
        /// What it computes: `d` is the destination, `a`, `b`, `c` the sources in printed order, `p` and `q` predicates. Empty where
        /// it is not known. In the data `@OPCODE` stands for the effect of another opcode.
        #[serde(default)]
        effect: Text,
        /// What it computes before Volta, where that differs; often empty.
        #[serde(default)]
        earlier: Text,
        /// How the effect was established.
        #[serde(default)]
        proof: Proof,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// A statement; often empty.
        #[serde(default)]
        example: Text,
        /// Its modifiers.
        #[serde(default)]
        modifiers: List<Modifier>,
    }

    /// A modifier of an opcode.
    #[derive(Debug)]
    pub struct Modifier {
        /// Its name, without a dot.
        name: Text,
        /// What it means, in a few words.
        meaning: Text,
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

    /// How an instruction changes where control continues.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Flow {
        /// It does not.
        Next,
        /// It branches to its last operand.
        Branch,
        /// It branches to a register.
        IndirectBranch,
        /// It calls its last operand.
        Call,
        /// It returns.
        Return,
        /// It pushes a token with its last operand.
        Push,
        /// Lanes wait in the token of this kind.
        Pop,
        /// It puts lanes into a convergence barrier; the last operand is where they reconverge.
        BarrierSet,
        /// Lanes wait in a convergence barrier.
        BarrierSync,
        /// It takes lanes out of a convergence barrier.
        BarrierBreak,
        /// Lanes wait for each other.
        #[serde(rename(deserialize = "warpsync"))]
        WarpSync,
        /// Lanes exit.
        Exit,
        /// The program stops.
        Trap,
    }

    /// What the first operands of an instruction are.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Writes {
        /// Predicates that it writes, then a register that it writes.
        Registers,
        /// Predicates that it writes.
        Predicates,
        /// What it reads.
        Nothing,
    }

    /// How an effect was established.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Proof {
        /// It was not.
        None,
        /// It was executed: the results equal those of the PTX that the code was assembled from.
        Run,
        /// Some modifiers were executed.
        Partly,
        /// It is a rule of this project.
        Assumed,
    }

    /// A word after an operand, or an operand that is a word.
    #[derive(Debug)]
    pub struct OperandWord {
        /// The word.
        name: Text,
        /// What it means, in a few words.
        meaning: Text,
    }

    /// A sequence of instructions that compilers emit for one operation.
    #[derive(Debug)]
    pub struct Sequence {
        /// The operation.
        name: Text,
        /// How it is computed, in a sentence.
        detail: Text,
        /// Its instructions in order: alternatives of opcodes with some of their modifiers.
        steps: Words<Text>,
        /// Within how many instructions all of them are.
        window: u8,
    }

    /// A test of the condition code.
    #[derive(Debug)]
    pub struct ConditionTest {
        /// Its name: `GEU`.
        name: Text,
        /// What it computes of the flags.
        test: Text,
    }

    /// A special register.
    #[derive(Debug)]
    pub struct SpecialRegister {
        /// Its name: `SR_TID.X`.
        name: Text,
        /// What it holds, in a sentence.
        summary: Text,
        /// The special register of PTX with this value; often empty.
        #[serde(default)]
        ptx: Text,
        /// Whether the lanes of a warp read different values.
        #[serde(default)]
        varies: bool,
    }

    /// A value that a launch puts into constant bank 0.
    #[derive(Debug)]
    pub struct LaunchConstant {
        /// Its name.
        name: Text,
        /// Its bytes.
        size: u8,
        /// What it is, in a sentence.
        summary: Text,
        /// The special register of PTX with this value; often empty.
        #[serde(default)]
        ptx: Text,
        /// Its offset on Fermi.
        #[serde(default)]
        fermi: Option<u16>,
        /// Its offset on Kepler.
        #[serde(default)]
        kepler: Option<u16>,
        /// Its offset on sm_50 to sm_53.
        #[serde(default)]
        maxwell: Option<u16>,
        /// Its offset on sm_60 to sm_62.
        #[serde(default)]
        pascal: Option<u16>,
        /// Its offset on Volta and Turing.
        #[serde(default)]
        volta: Option<u16>,
        /// Its offset on Ampere and Ada.
        #[serde(default)]
        ampere: Option<u16>,
        /// Its offset on Hopper.
        #[serde(default)]
        hopper: Option<u16>,
        /// Its offset on Blackwell.
        #[serde(default)]
        blackwell: Option<u16>,
    }
}
