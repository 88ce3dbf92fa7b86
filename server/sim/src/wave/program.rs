//! A decoded kernel: one operation an instruction, compact and comparable by value.
//!
//! There are no text positions here: the operation at index `i` comes from the kernel's instruction `i`, whose
//! [`StatementId`](crate::StatementId) is `i` too. Sources are rows of a wave's register file: registers first, then one row for
//! every constant, so an immediate costs no more than a register.

use smol_str::{SmolStr, format_smolstr};

use super::quick::QuickOp;
use crate::StatementId;

pub(crate) use super::operations::{
    Arithmetic, Atomic, Binary, Compare, Double, Logic, Reduce, Relation, Shuffle, Special, Ternary, Unary,
};

/// A row of the register file: a general register, a constant, or one of the scratch rows of [`Program::scratch`].
pub(crate) type Row = u32;

/// Number of predicate registers.
pub(crate) const PREDICATES: usize = 4;

/// A decoded kernel. Equal programs run equally.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The kernel's name.
    pub name: SmolStr,
    /// `.workgroup_size`, if the kernel declares it.
    pub workgroup_size: Option<[u32; 3]>,
    /// `.local_memory`, if the kernel declares it.
    pub local_memory: Option<u32>,
    /// General registers of a thread.
    pub registers: u16,
    /// The values of the constant rows, which follow the registers.
    pub(crate) constants: Vec<u32>,
    pub(crate) ops: Vec<Op>,
    /// The same operations, as the interpreter loop dispatches them.
    pub(crate) quick: Vec<QuickOp>,
    /// Register halves of the few operations that name them; [`Op::halves`] counts from 1.
    pub(crate) halves: Vec<Halves>,
    /// Why runs stop at [`Action::Refused`].
    pub(crate) refusals: Vec<Refusal>,
    /// The registers that each operation names.
    pub(crate) named: Vec<Box<[Named]>>,
}

/// A register that an operation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub(crate) cell: Cell,
    /// The number of consecutive registers from the named one on; 1 for a predicate.
    pub(crate) count: u8,
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// A register of either class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    General(u8),
    Predicate(u8),
}

impl Cell {
    /// The name as written.
    pub(crate) fn name(self) -> SmolStr {
        match self {
            Cell::General(index) => format_smolstr!("r{index}"),
            Cell::Predicate(index) => format_smolstr!("p{index}"),
        }
    }
}

impl Program {
    /// The names of the registers that a statement writes.
    pub(crate) fn writes(&self, statement: StatementId) -> Vec<SmolStr> {
        let named = self.named.get(statement.index()).into_iter().flatten();
        named.filter(|named| named.written).map(|named| named.cell.name()).collect()
    }

    /// Number of statements: the instructions of the kernel.
    pub fn statements(&self) -> usize {
        self.ops.len()
    }

    /// The first of the rows that operations with register halves work in.
    pub(crate) fn scratch(registers: u16) -> Row {
        Row::from(registers) + 1
    }

    /// The first row that holds a constant. Row `registers` receives discarded writes.
    pub(crate) fn first_constant(registers: u16) -> Row {
        Self::scratch(registers) + SCRATCH_ROWS
    }

    /// The number of rows of a wave.
    pub(crate) fn rows(&self) -> usize {
        Self::first_constant(self.registers) as usize + self.constants.len()
    }
}

/// Scratch rows of a wave: four sources and a destination.
pub(crate) const SCRATCH_ROWS: Row = 5;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Op {
    pub(crate) action: Action,
    pub(crate) guard: Option<Condition>,
    /// Index into [`Program::halves`] plus 1, or 0.
    pub(crate) halves: u32,
}

/// Why a run stops at an instruction: the message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Refusal {
    /// It is not simulated.
    Unsupported(String),
    /// The specification does not define it.
    NoMeaning(String),
}

/// A predicate register, taken as it is or negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Condition {
    pub(crate) predicate: u8,
    pub(crate) negated: bool,
}

/// The register halves that an operation reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Halves {
    /// Before the operation: scratch row, register, and how far to shift it down.
    pub(crate) reads: Vec<(Row, Row, u32)>,
    /// After it: scratch row, register, and the position of the half.
    pub(crate) write: Option<(Row, Row, u32)>,
}

/// The operation of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    // `mov_imm`
    Constant { d: Row, bits: u32 },
    Unary { op: Unary, d: Row, a: Row },
    Binary { op: Binary, d: Row, a: Row, b: Row },
    Ternary { op: Ternary, d: Row, a: Row, b: Row, c: Row },
    // `bfi`: base, inserted value, offset, width.
    InsertBits { d: Row, base: Row, value: Row, offset: Row, width: Row },
    Double { op: Double, d: [Row; 2], a: [Row; 2], b: [Row; 2], c: [Row; 2] },
    // `cvt_f32_f64`
    Narrow { d: Row, a: [Row; 2] },
    // `cvt_f64_f32`
    Widen { d: [Row; 2], a: Row },
    Compare { op: Compare, d: u8, a: Row, b: Row },
    Logic { op: Logic, d: u8, a: Condition, b: Condition },
    Select { d: Row, condition: Condition, a: Row, b: Row },
    Special { d: Row, register: Special },
    Load { space: Space, bytes: u8, d: [Row; 4], address: Row },
    Store { space: Space, bytes: u8, address: Row, value: [Row; 4] },
    Atomic { space: Space, op: Atomic, d: Option<Row>, address: Row, value: Row, desired: Row },
    Shuffle { kind: Shuffle, d: Row, a: Row, lane: Row },
    Broadcast { d: Row, a: Row, lane: Row },
    Ballot { d: Row, condition: Condition },
    Vote { all: bool, d: u8, condition: Condition },
    PrefixSum { d: Row, a: Row },
    Reduce { op: Reduce, d: Row, a: Row },
    Matrix(Matrix),
    // Fences, `wait` and `nop`: memory is sequentially consistent here.
    Nothing,
    // An acquire fence: only the sanitizer observes it.
    Acquire,
    Control(Control),
}

/// An operation that changes which lanes are active, waits for others, or ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Control {
    If { condition: Condition, otherwise: Option<u32>, end: u32 },
    Else,
    EndIf,
    Loop { end: u32 },
    EndLoop,
    Break { condition: Condition },
    Continue { condition: Condition },
    Call { target: u32 },
    Return,
    Halt,
    Barrier,
    // Index into [`Program::refusals`].
    Refused { why: u32 },
}

impl Action {
    /// Whether it has no effect but on its destination, and each lane computes for itself.
    pub(crate) fn computes(&self) -> bool {
        matches!(
            self,
            Action::Constant { .. }
                | Action::Unary { .. }
                | Action::Binary { .. }
                | Action::Ternary { .. }
                | Action::Compare { .. }
                | Action::Logic { .. }
                | Action::Select { .. }
        )
    }

    /// Whether it is a control operation.
    #[inline(always)]
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, Action::Control(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Local,
    Device,
}

/// Tiles of 4 x 4 binary32 values; fragments are named by number and belong to each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    LoadA { fragment: u8, address: Row, stride: Row },
    LoadB { fragment: u8, address: Row, stride: Row },
    Compute { a: u8, b: u8, c: u8 },
    StoreC { address: Row, stride: Row, fragment: u8 },
}
