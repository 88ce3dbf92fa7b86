//! Types that the entries of several languages share.

use super::storage::*;

entries! {
    /// How far the simulator supports an instruction. A test in `sim` compares this with what the simulator
    /// does.
    #[serde(try_from = "String")]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Simulation {
        /// The effect is computed.
        Simulated,
        /// The effect is computed, except for the forms named here.
        Partly(Text),
        /// Accepted without an effect, for this reason.
        NoOp(Text),
        /// Stops the run with a report, for this reason.
        Unsupported(Text),
    }

    /// How the effect of an instruction is known.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Evidence {
        /// From the text of the ISA.
        Text,
        /// The assembler computes the same, or its machine code does.
        Assembler,
        /// A GPU ran it with the same result.
        Gpu,
    }

    /// What an instruction does with the registers of an operand. Registers inside an address are read, whatever the role.
    #[serde(rename_all(deserialize = "lowercase"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Role {
        Read,
        /// Writes them. On an address, the memory there is written.
        Write,
        Both,
    }
}
