//! What entries of both instruction sets have in common.

use super::storage::*;

entries! {
    /// What the simulator does with an instruction. A test in `sim` holds it to this.
    #[serde(try_from = "String")]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Simulation {
        /// Its effect is computed.
        Simulated,
        /// Its effect is computed, except that of the forms given here.
        Partly(Text),
        /// It is accepted and has no effect, for the reason given.
        NoOp(Text),
        /// A run stops at it and names it, for the reason given.
        Unsupported(Text),
    }

    /// What an instruction does with the registers of an operand. Registers inside an address are read, whatever the role.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Role {
        /// Reads them.
        Read,
        /// Writes them; an address with this role says where memory is written.
        Write,
        /// Reads, then writes them.
        Both,
    }
}
