//! Instructions of PTX, their operands and modifiers.

use super::entry::{Evidence, Role, Simulation};
use super::ptx_form::{Form, OperandKind};
use super::storage::*;

entries! {
    /// One entry of the instruction set. A mnemonic that works in several ways (`add` on integers and on floats) has several
    /// entries under one opcode.
    #[derive(Debug)]
    pub struct Instruction {
        /// Unique: the name, with `@variant` if several entries have that name.
        id: Text,
        /// The opcode with the words that always follow it: `add`, `cp.async.bulk`.
        #[serde(default)]
        name: Text,
        /// The first word of the name, which starts a statement.
        #[serde(skip_deserializing)]
        opcode: Text,
        /// The words of the name after the opcode, with their dots. The modifiers follow them.
        #[serde(skip_deserializing)]
        words: Slice<Text>,
        /// The category, from the data file that the entry is in.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// Section of the PTX 9.4 manual.
        section: Text,
        /// The syntax as documentation shows it. `{x}` is optional, `{a,b}` or `a|b` is a choice, and a word without a dot inside
        /// a chain of modifiers names a class.
        syntax: Slice<Text>,
        /// Exactly what the assembler accepts.
        #[serde(skip_deserializing)]
        forms: Slice<Form>,
        /// The modifiers after `words`, in their documented order.
        #[serde(default)]
        modifiers: List<ModifierClass>,
        /// Every modifier that some form accepts, including `words`, sorted.
        #[serde(skip_deserializing)]
        vocabulary: Slice<Text>,
        /// The operand types, without dots.
        #[serde(skip_deserializing)]
        types: Slice<Text>,
        /// The operands, in the order of the longest form.
        #[serde(default)]
        operands: List<Operand>,
        /// First PTX version with the instruction.
        since: Version,
        /// Which forms were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// Required targets, in prose.
        target: Text,
        /// Whether a guard `@p` is allowed.
        #[serde(default = "yes")]
        predicable: bool,
        /// Whether the instruction is deprecated or removed.
        #[serde(default)]
        status: Status,
        /// One sentence: what the instruction does.
        summary: Text,
        /// What it computes, in lines of pseudo code.
        #[serde(deserialize_with = "lines")]
        semantics: Slice<Text>,
        /// What else a user should know.
        #[serde(default)]
        notes: Slice<Text>,
        /// How it makes lanes diverge, or depends on which lanes are active; often empty.
        #[serde(default, deserialize_with = "trimmed")]
        divergence: Text,
        /// Statements that the assembler accepts.
        example: Example,
        /// For some statements of the example, the oldest version and target that the assembler accepts.
        measured: Slice<Measured>,
        /// How far the simulator supports it.
        simulation: Simulation,
        #[serde(default)]
        undefined: Mixing,
        /// How its effect is known.
        #[serde(skip_deserializing)]
        evidence: Evidence,
    }
    data {
        /// The forms in the notation of data/README.md, one a line.
        #[serde(default, rename = "forms")]
        form_lines: Text,
    }

    /// Which undefined sources make the result of an instruction undefined.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Mixing {
        /// Other rules decide: a load depends on memory, a warp-wide operation on other lanes.
        Defined,
        Any,
        /// All sources must be undefined: selections and combinations of bits.
        All,
    }

    #[derive(Debug)]
    pub struct Operand {
        /// Name in the forms.
        name: Text,
        /// Whether its registers are read or written.
        role: Role,
        /// The syntax it accepts.
        kinds: Words<OperandKind>,
        #[serde(default)]
        optional: bool,
        /// Whether a register in this address must be as wide as an address. For other operands, the assembler widens
        /// a 32-bit register.
        #[serde(default)]
        wide: bool,
        /// Whether it is inside the brackets of the operand before it.
        #[serde(default)]
        inside: bool,
        /// Whether a minus sign may precede it.
        #[serde(default)]
        negatable: bool,
        /// Whether the assembler takes neither special registers nor `_` in its braces, as others do.
        #[serde(default)]
        only_registers: bool,
        /// Purpose; empty for a plain source or destination.
        #[serde(default)]
        about: Text,
    }
    data {
        /// Type and length in forms that do not specify them.
        #[serde(rename = "type")]
        ty: Option<Text>,
    }

    /// A choice of modifiers at one position of a form.
    #[derive(Debug)]
    pub struct ModifierClass {
        /// Name in the forms.
        #[serde(rename = "class")]
        name: Text,
        /// What the choice decides.
        #[serde(skip_deserializing)]
        summary: Text,
        /// The alternatives, each with its dot. A value of several words (`.sync.aligned`) is one entry.
        #[serde(skip_deserializing)]
        values: List<Modifier>,
        /// Whether all alternatives may be omitted.
        #[serde(default)]
        optional: bool,
    }
    data {
        /// The values, separated by spaces.
        #[serde(rename = "values")]
        listed: Text,
        /// The count that each value stands for, if it is not the number in the value: `4`, or `index+3` if the first
        /// register is an index.
        #[serde(default)]
        counts: Text,
        /// Required version and target for all values, unless a form specifies others.
        #[serde(default)]
        needs: Text,
    }

    /// A modifier with one of its meanings.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Modifier {
        /// The modifier as written, with its dot.
        name: Text,
        summary: Text,
    }

    /// Whether an entry is deprecated or removed.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Status {
        /// In use.
        Current,
        /// Still works, but has a better replacement.
        Deprecated,
        /// Rejected by newer versions.
        Removed,
    }

    /// Statements that show an entry, and the target and version that they need.
    #[derive(Debug)]
    pub struct Example {
        /// The statements, as PTX source.
        #[serde(deserialize_with = "trimmed")]
        code: Text,
        /// Target that they need.
        target: Text,
        /// PTX version that they need.
        version: Version,
        /// Declarations for the statements, besides the registers `%r1`, `%rd1`, `%f1`, `%fd1`, `%h1`, `%p1` and so on; often
        /// empty.
        #[serde(default, deserialize_with = "trimmed")]
        declarations: Text,
    }

    /// What the assembler requires for one statement, as measured.
    #[derive(Debug)]
    pub struct Measured {
        /// The statement, which occurs in the example.
        code: Text,
        /// Oldest version that accepts it (2.3 is the oldest that was tried).
        since: Version,
        /// Oldest target that accepts it.
        target: Text,
    }
}
