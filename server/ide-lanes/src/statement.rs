//! The statements of a decoded program, as a document sees them: where they stand and what they do to groups of lanes.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_sim::StatementId;
use warplens_sim::launch::ScalarKind;

/// A statement of a program, with places in the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// From its guard or opcode to its end.
    pub range: TextRange,
    /// The opcode word.
    pub opcode: TextRange,
    /// What it does to groups of lanes.
    pub flow: Flow,
    /// The registers that it names, with how their values are read.
    pub registers: Box<[(SmolStr, ScalarKind)]>,
}

/// What a statement does to groups of lanes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Flow {
    /// Nothing.
    #[default]
    Plain,
    /// May send the lanes that execute it elsewhere, and the others to the next statement.
    Branch {
        /// The statement where they meet again, if anywhere.
        meets: Option<StatementId>,
    },
    /// May send every lane elsewhere.
    Switch {
        /// The statements that lanes may go to, each once.
        targets: Box<[StatementId]>,
        /// The statement where they meet again, if anywhere.
        meets: Option<StatementId>,
    },
}

impl Flow {
    /// Where lanes that part meet again, if anywhere.
    pub fn meets(&self) -> Option<StatementId> {
        match self {
            Flow::Plain => None,
            Flow::Branch { meets } | Flow::Switch { meets, .. } => *meets,
        }
    }
}
