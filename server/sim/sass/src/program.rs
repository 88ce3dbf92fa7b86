//! A decoded kernel: its operations with the functions that it can reach, and everything else that a run needs.
//!
//! Statement `n` is `code[n]`. A program has no positions, so an edit of a comment gives an equal program.

mod access;
mod control;
mod operation;
mod quick;

use smol_str::SmolStr;
use warplens_sim_cuda::semantics::matrix::Product;
use warplens_sim_cuda::semantics::narrow::PackedConvert;

pub use access::{Access, Address, Atomic, AtomicResult, MatrixLoad, Space, Term};
pub use control::{BarrierState, BarrierStep, CcTest, Control, Jump, Reduction, Token, Uniformity};
pub use operation::{
    Accumulate, AddendPart, Bool, FloatCompare, FloatMode, HalfArithmetic, HalfMode, IntCompare, Lanewise,
    MinMax, Mufu, Op, Operation, Prepare, SetTo, ShuffleMode, SpecialRegister, Test, VoteMode, WarpReduction,
    Xmad,
};
pub use quick::Quick;

use super::registers::{Predicate, Row};
use super::target::Target;

/// A kernel and the functions that it can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The entry's name.
    pub name: SmolStr,
    /// Its target.
    pub target: Target,
    /// The operations of all functions, the entry's first.
    pub code: Vec<Operation>,
    /// By statement: the next one that has a guard or is control flow, or the end.
    pub straight_runs: Vec<u32>,
    /// One a statement: the frequent operation that it is.
    pub quick: Vec<Quick>,
    /// The functions, the entry first.
    pub functions: Vec<Function>,
    /// By statement: its offset in its function.
    pub addresses: Vec<u32>,
    /// The rows of the register file.
    pub layout: Layout,
    /// The memory accesses.
    pub accesses: Vec<Access>,
    /// The atomics.
    pub atomics: Vec<Atomic>,
    /// The loads of matrices.
    pub matrix_loads: Vec<MatrixLoad>,
    /// The conversions of two numbers at once.
    pub conversions: Vec<PackedConvert>,
    /// The products of matrices.
    pub products: Vec<Product>,
    /// What is not simulated: the instruction and why.
    pub notes: Vec<String>,
    /// Float instructions that are not simulated.
    pub unknowns: Vec<Unknown>,
    /// The contents of constant banks; bank 0 is the launch's.
    pub banks: Vec<(u8, Vec<u8>)>,
    /// Device variables with their contents.
    pub globals: Vec<(SmolStr, Vec<u8>)>,
    /// Pointers to device variables in device variables: the variable, the offset in it, the other, the offset in that.
    pub pointers: Vec<(u32, u32, u32, u64)>,
    /// Words of constant banks that hold the address of a device variable: bank, offset, variable, offset in it.
    pub symbol_words: Vec<(u8, u32, u32, u64)>,
    /// Bytes of static shared memory, if the listing states them.
    pub shared_size: Option<u32>,
    /// Bytes of the stack of a thread.
    pub stack_size: u32,
    /// The offset and the size of each parameter in bank 0.
    pub params: Vec<(u32, u32)>,
    /// The registers that each statement names.
    pub named: Vec<Box<[Named]>>,
    /// The registers that each statement reads and writes, each as wide as it does.
    pub uses: Vec<Box<[RegisterUse]>>,
}

/// A float instruction that is not simulated: a run continues without its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The instruction and why.
    pub note: String,
    /// The registers that it writes.
    pub cells: Vec<Cell>,
}

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: SmolStr,
    /// Its first statement.
    pub first: u32,
    /// One past its last statement.
    pub end: u32,
}

/// Bits of the offset of an instruction in its function; the bits above are the number of the function.
pub const OFFSET_BITS: u32 = 24;

/// The rows of the register file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// General registers, the first rows.
    pub general: u16,
    /// Four rows of zeros.
    pub zero: Row,
    /// Four rows for results that are dropped.
    pub dropped: Row,
    /// Three rows for sources with signs.
    pub scratch: Row,
    /// The first uniform register, and how many there are.
    pub uniform: (Row, u16),
    /// The rows with constants.
    pub constants: Vec<(Row, Constant)>,
    /// Rows of the file.
    pub rows: u16,
}

/// The value of a row that does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An immediate.
    Immediate(u32),
    /// A word of a constant bank.
    InBank(u8, u32),
    /// The address of a device variable, by its number, and an offset; the upper word.
    Symbol(u32, i64, bool),
}

/// A register that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// As the text shows it: `R4`.
    pub name: SmolStr,
    /// Where it is.
    pub cell: Cell,
    /// Whether the statement reads it.
    pub read: bool,
    /// Whether the statement writes it.
    pub written: bool,
}

/// A register that a statement reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterUse {
    /// Where it is.
    pub cell: Cell,
    /// Whether the statement writes it.
    pub is_write: bool,
}

/// Where a register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Rows of the file, and how many.
    Rows(Row, u16),
    /// A predicate.
    Predicate(Predicate),
}

impl Program {
    /// The number of statements.
    pub fn statements(&self) -> usize {
        self.code.len()
    }

    /// The function of a statement.
    pub fn function_of(&self, statement: u32) -> usize {
        self.functions.partition_point(|function| function.first <= statement).saturating_sub(1)
    }

    /// The statement at an address that code computes: an offset in the function of `from`, or of the function that its upper bits
    /// name. An address of a control word names the next instruction.
    pub fn statement_at(&self, address: u64, from: u32) -> Option<u32> {
        let function = match (address >> OFFSET_BITS) as usize {
            0 => self.function_of(from),
            number => number,
        };
        let Function { first, end, .. } = *self.functions.get(function)?;
        let offset = (address & ((1 << OFFSET_BITS) - 1)) as u32;
        let addresses = self.addresses.get(first as usize..end as usize)?;
        let at = addresses.partition_point(|address| *address < offset);
        let step = self.target.instruction_bytes();
        let is_there = |found: u32| found == offset || !self.target.has_barriers() && found == offset + step;
        addresses.get(at).filter(|found| is_there(**found)).map(|_| first + at as u32)
    }

    /// The statement at an address to which a function returns. Where the address does not have the number of a function, it is one
    /// of the function whose call precedes it: the running one, or the entry.
    pub fn return_at(&self, address: u64, from: u32) -> Option<u32> {
        let own = self.statement_at(address, from);
        let follows_call = |statement: u32| {
            let before = statement.checked_sub(1).map(|before| self.code[before as usize].op);
            matches!(before, Some(Op::Control(Control::Call(_) | Control::CallIndirect(_))))
        };
        match own {
            Some(statement) if follows_call(statement) => own,
            _ => self.statement_at(address, 0).filter(|statement| follows_call(*statement)).or(own),
        }
    }

    /// The address that code computes for a statement.
    pub fn address_of(&self, statement: u32) -> u64 {
        let function = self.function_of(statement) as u64;
        let offset = self.addresses.get(statement as usize).copied().unwrap_or(0);
        function << OFFSET_BITS | u64::from(offset)
    }

    /// Computes the straight runs, ranges of code in which the executing lanes do not change, and the frequent operations.
    pub(crate) fn find_straight_runs(&mut self) {
        self.quick = self.code.iter().map(Quick::of).collect();
        let mut end = self.code.len() as u32;
        self.straight_runs = vec![end; self.code.len() + 1];
        for (statement, operation) in self.code.iter().enumerate().rev() {
            if !operation.is_plain() {
                end = statement as u32;
            }
            self.straight_runs[statement] = end;
        }
    }
}
