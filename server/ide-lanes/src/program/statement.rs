//! The statements of a decoded program: their positions in the document, and their effects on groups of lanes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::Promise;
use warplens_sim_ptx::meaning::OperandMeaning;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::{ScalarType, StatementId};

use super::source_line::{SourceLine, text};

/// A statement of a program, with ranges in the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// From its guard or opcode to its end.
    pub range: TextRange,
    pub opcode: TextRange,
    pub flow: Flow,
    /// The condition of a branch as an expression of thread indices, parameters and constants, if it is one.
    pub condition: Option<String>,
    /// The registers that it names, with the types of their values.
    pub registers: Box<[(SmolStr, ScalarType)]>,
    /// What its registers mean besides their numbers, such as descriptors.
    pub meanings: Box<[OperandMeaning]>,
    /// The register that holds the address of its memory access.
    pub address: Option<AddressRegister>,
    /// The source line that it was compiled from, if known.
    pub source: Option<Arc<SourceLine>>,
    /// Its position in machine code, if the text is a listing.
    pub code: Option<CodePlace>,
    /// Whether its result is determined to the bit.
    pub numbers: Numbers,
}

/// Whether the result of a statement is determined to the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    Determined,
    Inexact(Promise),
}

/// The position of an instruction in machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodePlace {
    #[serde(rename = "entry", serialize_with = "text")]
    #[schemars(with = "String")]
    pub function: SmolStr,
    /// The offset in the function, in bytes.
    pub address: u32,
}

impl Statement {
    /// The type of a register's value.
    pub(crate) fn type_of(&self, register: &str) -> ScalarType {
        let named = self.registers.iter().find(|(name, _)| name == register);
        named.map_or(ScalarType::B64, |(_, kind)| *kind)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRegister {
    pub name: SmolStr,
    /// The objects of the accessed state space; `None` for the buffers of the launch.
    pub objects: Option<Arc<[Object]>>,
}

/// The effect of a statement on groups of lanes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    #[default]
    Plain,
    /// A branch: lanes that execute it may jump, the others continue with the next statement.
    Branch { reconvergence: Option<StatementId> },
    /// A branch with several targets.
    Switch {
        /// Without duplicates.
        targets: Box<[StatementId]>,
        reconvergence: Option<StatementId>,
    },
    /// A call whose function may differ between lanes.
    Call {
        /// The first statements of the functions.
        targets: Box<[StatementId]>,
        /// Where the lanes continue.
        reconvergence: Option<StatementId>,
    },
}

impl Flow {
    pub fn reconvergence(&self) -> Option<StatementId> {
        match self {
            Flow::Plain => None,
            Flow::Branch { reconvergence }
            | Flow::Switch { reconvergence, .. }
            | Flow::Call { reconvergence, .. } => *reconvergence,
        }
    }
}
