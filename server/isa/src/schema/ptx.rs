//! Instructions of PTX, their operands and modifiers.

use super::entry::{Role, Simulation};
use super::ptx_form::{Form, OperandKind};
use super::storage::*;

entries! {
    /// One entry of the instruction set. A mnemonic that works in several ways (`add` on integers and on floats) has several
    /// entries; all of them are under its opcode.
    #[derive(Debug)]
    pub struct Instruction {
        /// Unique: the name, with `@variant` where one name has several entries.
        id: Text,
        /// The opcode with the words that always follow it: `add`, `cp.async.bulk`.
        #[serde(default)]
        name: Text,
        /// The first word of the name, at the start of a statement.
        #[serde(skip_deserializing)]
        opcode: Text,
        /// The words of the name that follow the opcode directly, with their dots; the modifiers come after them.
        #[serde(skip_deserializing)]
        words: Slice<Text>,
        /// The group it belongs to.
        #[serde(skip_deserializing)]
        category: CategoryReference,
        /// Its section in the public description of PTX 9.4.
        section: Text,
        /// Its forms. `{x}` is optional, `{a,b}` or `a|b` a choice; a word without a dot inside a chain of modifiers names a class.
        syntax: Slice<Text>,
        /// Exactly what the assembler takes.
        #[serde(skip_deserializing)]
        forms: Slice<Form>,
        /// The modifiers after `words`, in their documented order.
        #[serde(default)]
        modifiers: List<ModifierClass>,
        /// Every single modifier that some form takes, `words` included, sorted.
        #[serde(skip_deserializing)]
        vocabulary: Slice<Text>,
        /// The types it works on, without dots.
        #[serde(skip_deserializing)]
        types: Slice<Text>,
        /// Its operands in the order of the fullest form.
        #[serde(default)]
        operands: List<Operand>,
        /// The first version that has it.
        since: Version,
        /// Which of its forms were added later, in prose; often empty.
        #[serde(default)]
        since_note: Text,
        /// The targets it needs, in prose.
        target: Text,
        /// Whether it takes a guard `@p`.
        #[serde(default = "yes")]
        predicable: bool,
        /// Whether it is still to be used.
        #[serde(default)]
        status: Status,
        /// What it does, in a sentence.
        summary: Text,
        /// What it does, in lines of pseudo code.
        #[serde(deserialize_with = "lines")]
        semantics: Slice<Text>,
        /// What one should know besides.
        #[serde(default)]
        notes: Slice<Text>,
        /// How it splits lanes or depends on which of them are there; often empty.
        #[serde(default, deserialize_with = "trimmed")]
        divergence: Text,
        /// Statements that the assembler accepts.
        example: Example,
        /// For statements of the example, the oldest version and target that the assembler takes.
        measured: Slice<Measured>,
        /// What the simulator does with it.
        simulation: Simulation,
    }
    data {
        /// One form a line, in the notation of data/README.md.
        #[serde(default, rename = "forms")]
        form_lines: Text,
    }

    /// One operand.
    #[derive(Debug)]
    pub struct Operand {
        /// Its name in the forms.
        name: Text,
        /// What happens to its registers.
        role: Role,
        /// The syntax it accepts.
        kinds: Words<OperandKind>,
        /// Whether it may be omitted.
        #[serde(default)]
        optional: bool,
        /// Whether a register in this address has the width of addresses: the assembler does not widen one of 32 bits.
        #[serde(default)]
        wide: bool,
        /// Whether it is in the brackets of the operand before it.
        #[serde(default)]
        inside: bool,
        /// Whether a minus sign may be written before it.
        #[serde(default)]
        negatable: bool,
        /// What it is for; empty for a plain source or destination.
        #[serde(default)]
        about: Text,
    }
    data {
        /// Its type and length in forms that do not specify them.
        #[serde(rename = "type")]
        ty: Option<Text>,
    }

    /// A choice of modifiers at one place of a form.
    #[derive(Debug)]
    pub struct ModifierClass {
        /// Its name in the forms.
        #[serde(rename = "class")]
        name: Text,
        /// What the choice decides.
        #[serde(skip_deserializing)]
        summary: Text,
        /// What may be written, each with its dot. A value of several words (`.sync.aligned`) is written whole.
        #[serde(skip_deserializing)]
        values: List<Modifier>,
        /// Whether nothing may be written.
        #[serde(default)]
        optional: bool,
    }
    data {
        /// The values, separated by spaces.
        #[serde(rename = "values")]
        listed: Text,
        /// What each value counts, where that is not the number in it: `4`, or `index+3` where the first is an index.
        #[serde(default)]
        counts: Text,
        /// What its values require wherever they are used, if no form says otherwise.
        #[serde(default)]
        needs: Text,
    }

    /// One modifier in one meaning.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Modifier {
        /// The modifier as written, with its dot.
        name: Text,
        /// What it means.
        summary: Text,
    }

    /// Whether an entry is still to be used.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Status {
        /// Yes.
        Current,
        /// It works, and something better replaces it.
        Deprecated,
        /// Newer versions reject it.
        Removed,
    }

    /// Statements that show an entry at work, for a given target and version.
    #[derive(Debug)]
    pub struct Example {
        /// The statements.
        #[serde(deserialize_with = "trimmed")]
        code: Text,
        /// The target they need.
        target: Text,
        /// The version they need.
        version: Version,
        /// Declarations that they rely on, beside registers `%r1`, `%rd1`, `%f1`, `%fd1`, `%h1`, `%p1` and so on; often empty.
        #[serde(default, deserialize_with = "trimmed")]
        declarations: Text,
    }

    /// What the assembler was measured to want for one statement.
    #[derive(Debug)]
    pub struct Measured {
        /// The statement.
        code: Text,
        /// The oldest version that it accepts (2.3 is the oldest that was tried).
        since: Version,
        /// The oldest target that it accepts.
        target: Text,
    }
}
