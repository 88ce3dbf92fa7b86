//! A decoded kernel: its operations, including the functions that it can reach, and everything else that a
//! run needs.
//!
//! Statement `n` is `code[n]`. A program contains no text positions, so editing a comment gives an equal
//! program.

mod access;
mod cell;
mod control;
mod modifiers;
mod operation;
mod order_points;
mod quick;
mod work;

use la_arena::Arena;
use smol_str::SmolStr;
use warplens_sim_cuda::semantics::matrix::Product;
use warplens_sim_cuda::semantics::narrow::PackedConvert;

pub use access::{Access, Address, Atomic, AtomicResult, MatrixAccess, Space, Term, Window};
pub use cell::{Cell, Unknown};
pub(crate) use control::ControlUse;
pub use control::{
    BarrierState, BarrierStep, CcTest, Control, Jump, JumpWidth, Reduction, Token, Uniformity,
};
pub use modifiers::{
    Accumulate, AddendPart, Angle, Arithmetic, FloatCompare, FloatMode, HalfMode, IntCompare, MinMax, Mufu,
    Relation, SetTo, SpecialRegister, Test, VoteMode, WarpReduction, Xmad,
};
pub use operation::{Op, Operation, Prepare};
pub use quick::Quick;

use super::registers::Row;
use super::target::Target;

/// A kernel and the functions that it can reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub name: SmolStr,
    pub target: Target,
    /// The operations of all functions, with the entry's first.
    pub code: Vec<Operation>,
    /// For each statement, the next one with a guard or control flow, or the end.
    pub straight_runs: Vec<u32>,
    /// The frequent operation of each statement.
    pub quick: Vec<Quick>,
    /// The entry comes first.
    pub functions: Vec<Function>,
    /// The offset of each statement in its function.
    pub addresses: Vec<u32>,
    pub layout: Layout,
    pub accesses: Arena<Access>,
    pub atomics: Arena<Atomic>,
    pub matrix_accesses: Arena<MatrixAccess>,
    /// Conversions of two numbers at once.
    pub conversions: Arena<PackedConvert>,
    pub products: Arena<Product>,
    /// What is not simulated: the instruction, and why.
    pub notes: Arena<String>,
    pub unknowns: Arena<Unknown>,
    /// The contents of constant banks. The launch defines bank 0.
    pub banks: Vec<(u8, Vec<u8>)>,
    /// Device variables with their contents.
    pub globals: Vec<(SmolStr, Vec<u8>)>,
    /// Pointers between device variables: the variable, the offset in it, the target variable, the offset in
    /// that.
    pub pointers: Vec<(u32, u32, u32, u64)>,
    /// Words of constant banks that hold the address of a device variable: bank, offset, variable, offset in
    /// it.
    pub symbol_words: Vec<(u8, u32, u32, u64)>,
    /// Static shared memory in bytes, if the listing states it.
    pub shared_size: Option<u32>,
    /// Blocks of a cluster in x, y, z, if the kernel requires them.
    pub cluster: Option<[u32; 3]>,
    /// Bytes per thread.
    pub stack_size: u32,
    /// The offset and the size of each parameter in bank 0.
    pub params: Vec<(u32, u32)>,
    /// The indirect branches whose targets the listing notes, in order of statements.
    pub noted_targets: Vec<(u32, Box<[u32]>)>,
    /// The registers that each statement names.
    pub named: Vec<Box<[Named]>>,
    /// The registers that each statement reads and writes, in the width that it uses.
    pub uses: Vec<Box<[RegisterUse]>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: SmolStr,
    pub first: u32,
    /// One past the last statement.
    pub end: u32,
}

/// The low bits of an address are the offset of an instruction in its function; the bits above are the
/// function's number.
pub const OFFSET_BITS: u32 = 24;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The number of general registers, which are the first rows.
    pub general: u16,
    /// Four rows of zeros.
    pub zero: Row,
    /// Four rows for discarded results.
    pub dropped: Row,
    /// Three rows for sources after their signs are applied.
    pub scratch: Row,
    /// The first uniform register, and their number.
    pub uniform: (Row, u16),
    /// The rows that hold constants.
    pub constants: Vec<(Row, Constant)>,
    /// The total number of rows.
    pub rows: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Immediate(u32),
    /// A word of a constant bank: bank and offset.
    InBank(u8, u32),
    /// A word of the address of a device variable, given by its number, plus an offset.
    Symbol {
        variable: u32,
        addend: i64,
        high: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// As in the text, such as `R4`.
    pub name: SmolStr,
    pub cell: Cell,
    pub read: bool,
    pub written: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterUse {
    pub cell: Cell,
    pub is_write: bool,
}

impl Program {
    /// The number of statements.
    pub fn statements(&self) -> usize {
        self.code.len()
    }

    /// The function that contains a statement.
    pub fn function_of(&self, statement: u32) -> usize {
        self.functions.partition_point(|function| function.first <= statement).saturating_sub(1)
    }

    /// The targets of an indirect branch, in order; empty if the listing does not note them.
    pub(crate) fn targets_of(&self, statement: u32) -> &[u32] {
        let found = self.noted_targets.binary_search_by_key(&statement, |(at, _)| *at);
        found.map_or(&[], |index| &self.noted_targets[index].1)
    }

    /// Whether lanes reconverge at the end of the code, so that the code is a part of a function.
    pub(crate) fn resumes_at_end(&self) -> bool {
        let end = self.code.len() as u32;
        self.code.iter().any(|operation| match operation.op {
            Op::Control(Control::Push(_, at) | Control::BarrierSet(_, Some(at))) => at == end,
            _ => false,
        })
    }

    /// The statement at an address that code computes: an offset in the function of `from`, or in the
    /// function that its upper bits name. The address of a control word means the next instruction.
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

    /// The statement that a function returns to. If the address has no function number, it is in the function
    /// whose call comes before it: the running function, or else the entry.
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

    /// Whether the program has loops that may wait for other blocks: in the loop, or in a function that it may call, memory
    /// of the device is read as threads do that wait.
    pub(crate) fn may_wait_for_blocks(&self) -> bool {
        let is_device_memory = |space| matches!(space, Space::Global | Space::Generic);
        let polls = |operation: &Operation| match operation.op {
            Op::Load(access) => self.accesses[access].strong && is_device_memory(self.accesses[access].space),
            Op::Atomic(atomic) => {
                let atomic = &self.atomics[atomic];
                atomic.result != AtomicResult::None && is_device_memory(atomic.space)
            }
            Op::Control(Control::Yield) => true,
            _ => false,
        };
        let entry_end = self.functions.first().map_or(0, |entry| entry.end as usize);
        let callees_poll = self.code[entry_end..].iter().any(polls);
        self.code.iter().enumerate().any(|(from, operation)| match operation.op {
            Op::Control(Control::Branch(head, _)) if head as usize <= from => {
                callees_poll || self.code[head as usize..=from].iter().any(polls)
            }
            _ => false,
        })
    }

    /// The addresses that an operation accesses.
    pub(crate) fn addresses(&self, op: Op) -> Vec<Address> {
        match op {
            Op::Load(access)
            | Op::Store(access)
            | Op::LoadConstant(access)
            | Op::LoadLocked(access)
            | Op::StoreUnlock(access) => vec![self.accesses[access].address],
            Op::Copy { to, from, .. } => vec![self.accesses[to].address, self.accesses[from].address],
            Op::MatrixLoad(access) | Op::MatrixStore(access) => {
                vec![self.matrix_accesses[access].address]
            }
            Op::Atomic(atomic) => vec![self.atomics[atomic].address],
            _ => Vec::new(),
        }
    }

    /// The address that code computes for a statement.
    pub fn address_of(&self, statement: u32) -> u64 {
        let function = self.function_of(statement) as u64;
        let offset = self.addresses.get(statement as usize).copied().unwrap_or(0);
        function << OFFSET_BITS | u64::from(offset)
    }

    /// Finds the straight runs, which are ranges of code in which the executing lanes do not change, and the
    /// frequent operations.
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
