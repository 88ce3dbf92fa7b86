//! A decoded instruction: what it does, with its operands as rows of a wave's register file.

use warplens_sim_warp::trace::Mask;

pub(crate) use super::operations::{
    Arithmetic, Atomic, Binary, Compare, Double, Logic, Reduce, Relation, Shuffle, Special, Ternary, Unary,
};

/// A row of the register file: a general register, a constant, or one of the scratch rows of
/// [`Program::scratch`](super::program::Program::scratch).
pub(crate) type Row = u32;

/// The number of predicate registers.
pub(crate) const PREDICATES: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Op {
    pub(crate) action: Action,
    pub(crate) guard: Option<Condition>,
    /// An index into [`Program::halves`](super::program::Program::halves) plus 1, or 0 for none.
    pub(crate) halves: u32,
}

impl Op {
    /// The steps that the operation counts as in these lanes besides one, according to what it accesses and multiplies.
    #[inline(always)]
    pub(crate) fn work(&self, executed: Mask) -> u64 {
        let each = match self.action {
            Action::Store { space: Space::Local, .. } | Action::Atomic { .. } => 4,
            Action::Load { bytes, .. } | Action::Store { bytes, .. } => u64::from(bytes).div_ceil(4),
            Action::Shuffle { .. } | Action::PrefixSum { .. } | Action::Reduce { .. } => 1,
            Action::Double { .. } | Action::Matrix(_) => 8,
            _ => 0,
        };
        u64::from(executed.count_ones()) * each / 16
    }
}

/// A predicate register, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Condition {
    pub(crate) predicate: u8,
    pub(crate) negated: bool,
}

/// The register halves that an operation reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Halves {
    /// Read before the operation: scratch row, register, and how far to shift the register down.
    pub(crate) reads: Vec<(Row, Row, u32)>,
    /// Written after the operation: scratch row, register, and the position of the half.
    pub(crate) write: Option<(Row, Row, u32)>,
}

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
    // An acquire fence, which only the sanitizer observes.
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
    // An index into [`Program::refusals`](super::program::Program::refusals).
    Refused { why: u32 },
}

impl Action {
    /// Whether the operation only writes its destination, and each lane computes by itself.
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

    /// The memory that a load, a store or an atomic accesses.
    pub(crate) fn access(&self) -> Option<Access> {
        let (space, bytes, address, [reads, writes]) = match *self {
            Action::Load { space, bytes, address, .. } => (space, bytes.into(), address, [true, false]),
            Action::Store { space, bytes, address, .. } => (space, bytes.into(), address, [false, true]),
            Action::Atomic { space, address, .. } => (space, 4, address, [true, true]),
            _ => return None,
        };
        Some(Access { space, bytes, address, reads, writes })
    }

    #[inline(always)]
    pub(crate) fn is_control(&self) -> bool {
        matches!(self, Action::Control(_))
    }
}

/// The memory that an operation accesses in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) bytes: u32,
    pub(crate) address: Row,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Local,
    Device,
}

/// Tiles of 4 x 4 binary32 values. Every lane has its own fragments, identified by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matrix {
    LoadA { fragment: u8, address: Row, stride: Row },
    LoadB { fragment: u8, address: Row, stride: Row },
    Compute { a: u8, b: u8, c: u8 },
    StoreC { address: Row, stride: Row, fragment: u8 },
}
