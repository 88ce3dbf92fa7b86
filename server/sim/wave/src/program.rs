//! A decoded kernel: one operation per instruction, compact and comparable by value.
//!
//! It contains no text positions: the operation at index `i` comes from the kernel's instruction `i`, whose
//! [`StatementId`](warplens_sim_warp::StatementId) is also `i`. Rows refer to the register file: registers
//! come first, then one row for every constant, so an immediate costs no more than a register.

use smol_str::{SmolStr, format_smolstr};
use warplens_sim_warp::StatementId;
use warplens_sim_warp::value_tracer::RegisterInfo;

use super::op::{Halves, Op, Row};
use super::quick::QuickOp;

/// Equal programs run equally.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    pub name: SmolStr,
    pub workgroup_size: Option<[u32; 3]>,
    pub local_memory: Option<u32>,
    /// General registers per thread.
    pub registers: u16,
    /// The values of the constant rows, which follow the registers.
    pub(crate) constants: Vec<u32>,
    pub(crate) ops: Vec<Op>,
    /// The operations in the form that the interpreter loop dispatches.
    pub(crate) quick: Vec<QuickOp>,
    /// The register halves of the few operations that name them. [`Op::halves`] counts from 1.
    pub(crate) halves: Vec<Halves>,
    /// Why runs stop at [`Action::Refused`].
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) named: Vec<Box<[Named]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub(crate) cell: Cell,
    /// How many consecutive registers the name covers; 1 for a predicate.
    pub(crate) count: u8,
    pub(crate) read: bool,
    pub(crate) written: bool,
}

impl Named {
    pub(crate) fn info(&self) -> RegisterInfo {
        let bits = match self.cell {
            Cell::Predicate(_) => 1,
            Cell::General(_) => 32 * u16::from(self.count),
        };
        RegisterInfo { name: self.cell.name(), bits, read: self.read, written: self.written }
    }
}

/// A general register or a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    General(u8),
    Predicate(u8),
}

impl Cell {
    pub(crate) fn name(self) -> SmolStr {
        match self {
            Cell::General(index) => format_smolstr!("r{index}"),
            Cell::Predicate(index) => format_smolstr!("p{index}"),
        }
    }
}

impl Program {
    /// The registers that a statement names.
    pub(crate) fn registers_of(&self, statement: StatementId) -> Vec<RegisterInfo> {
        self.named.get(statement.index()).into_iter().flatten().map(Named::info).collect()
    }

    /// The number of statements, which are the instructions of the kernel.
    pub fn statements(&self) -> usize {
        self.ops.len()
    }

    /// The first scratch row for operations with register halves.
    pub(crate) fn scratch(registers: u16) -> Row {
        Row::from(registers) + 1
    }

    /// The first row that holds a constant. Row `registers` receives discarded writes.
    pub(crate) fn first_constant(registers: u16) -> Row {
        Self::scratch(registers) + SCRATCH_ROWS
    }

    pub(crate) fn rows(&self) -> usize {
        Self::first_constant(self.registers) as usize + self.constants.len()
    }
}

/// Four sources and a destination.
pub(crate) const SCRATCH_ROWS: Row = 5;

/// Why a run stops at an instruction, with the message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Refusal {
    /// The instruction is not simulated.
    Unsupported(String),
    /// The specification does not define the instruction.
    NoMeaning(String),
}
