//! The statements of a decoded program: their positions in the document, and their effects on groups of lanes.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_sim::objects::Object;
use warplens_sim::{OperandMeaning, ScalarType, StatementId};

use crate::source_line::SourceLine;

/// A statement of a program, with ranges in the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// From its guard or opcode to its end.
    pub range: TextRange,
    /// The opcode word.
    pub opcode: TextRange,
    /// Its effect on groups of lanes.
    pub flow: Flow,
    /// The registers that it names, with the types of their values.
    pub registers: Box<[(SmolStr, ScalarType)]>,
    /// What its registers stand for besides numbers.
    pub meanings: Box<[OperandMeaning]>,
    /// The register that holds the address of its access, if any.
    pub address: Option<AddressRegister>,
    /// The line of the source that it was compiled from, if known.
    pub source: Option<Arc<SourceLine>>,
    /// Its place in machine code, if the text is a listing.
    pub code: Option<CodePlace>,
}

/// The place of an instruction in machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodePlace {
    /// The name of its function.
    #[serde(rename = "entry", serialize_with = "text")]
    pub function: SmolStr,
    /// The offset in the function, in bytes.
    pub address: u32,
}

fn text<S: Serializer>(text: &SmolStr, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// A register that holds an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRegister {
    /// Its name.
    pub name: SmolStr,
    /// The objects of the accessed state space; `None` for the buffers of the launch.
    pub objects: Option<Arc<[Object]>>,
}

/// The effect of a statement on groups of lanes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    /// Nothing.
    #[default]
    Plain,
    /// A branch: lanes that execute it may jump, the others continue with the next statement.
    Branch {
        /// The reconvergence point, if there is one.
        reconvergence: Option<StatementId>,
    },
    /// A branch with several targets.
    Switch {
        /// The distinct targets.
        targets: Box<[StatementId]>,
        /// The reconvergence point, if there is one.
        reconvergence: Option<StatementId>,
    },
    /// A call of a function that may differ between lanes.
    Call {
        /// The first statements of the functions.
        targets: Box<[StatementId]>,
        /// Where the lanes continue.
        reconvergence: Option<StatementId>,
    },
}

impl Flow {
    /// The reconvergence point, if there is one.
    pub fn reconvergence(&self) -> Option<StatementId> {
        match self {
            Flow::Plain => None,
            Flow::Branch { reconvergence }
            | Flow::Switch { reconvergence, .. }
            | Flow::Call { reconvergence, .. } => *reconvergence,
        }
    }
}
