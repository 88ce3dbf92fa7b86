//! The registers that each statement names, for value traces and undefined values.

use smol_str::{SmolStr, format_smolstr};
use warplens_sim_cuda::semantics::convert::Convert;

use crate::program::{
    Arithmetic, AtomicResult, BarrierStep, Cell, Constant, Control, Named, Op, Operation, Program,
    RegisterUse,
};
use crate::registers::{Condition, DROPPED, Predicate, Row, TRUE, UNIFORM};

pub(super) fn name_registers(program: &mut Program) {
    let (named, uses) = program.code.iter().map(|operation| of(operation, program)).unzip();
    (program.named, program.uses) = (named, uses);
}

fn of(operation: &Operation, program: &Program) -> (Box<[Named]>, Box<[RegisterUse]>) {
    let mut names = Names { program, named: Vec::new(), uses: Vec::new() };
    names.condition(operation.guard);
    let (written, read) = widths(operation, program);
    if written > 0 {
        names.rows(operation.d, written, true);
    }
    operation.q.iter().for_each(|q| names.predicate(*q, true));
    for (source, words) in operation.s.iter().zip(read) {
        if words > 0 {
            names.rows(source.row, words, false);
        }
    }
    operation.p.iter().for_each(|p| names.condition(*p));
    names.accesses(operation);
    if let Op::Unknown(unknown) = operation.op {
        program.unknowns[unknown].cells.iter().for_each(|cell| names.cell(*cell, true));
    }
    (names.named.into(), names.uses.into())
}

struct Names<'p> {
    program: &'p Program,
    named: Vec<Named>,
    uses: Vec<RegisterUse>,
}

impl Names<'_> {
    fn condition(&mut self, condition: Condition) {
        self.predicate(condition.predicate, false);
    }

    fn predicate(&mut self, predicate: Predicate, written: bool) {
        let name: SmolStr = match predicate {
            _ if predicate < TRUE => format_smolstr!("P{predicate}"),
            _ if (UNIFORM..UNIFORM + TRUE).contains(&predicate) => {
                format_smolstr!("UP{}", predicate - UNIFORM)
            }
            _ => return,
        };
        if predicate != DROPPED {
            self.add(Named { name, cell: Cell::Predicate(predicate), read: !written, written });
        }
    }

    fn cell(&mut self, cell: Cell, written: bool) {
        match cell {
            Cell::Rows(row, words) => self.rows(row, words, written),
            Cell::Predicate(predicate) => self.predicate(predicate, written),
        }
    }

    fn rows(&mut self, row: Row, words: u16, written: bool) {
        let layout = &self.program.layout;
        let (first, count) = layout.uniform;
        let name = match row {
            _ if row < layout.general => format_smolstr!("R{row}"),
            _ if (first..first + count).contains(&row) => format_smolstr!("UR{}", row - first),
            _ => return,
        };
        self.add(Named { name, cell: Cell::Rows(row, words), read: !written, written });
    }

    fn add(&mut self, named: Named) {
        self.uses.push(RegisterUse { cell: named.cell, is_write: named.written });
        match self.named.iter_mut().find(|known| known.name == named.name) {
            Some(known) => {
                known.read |= named.read;
                known.written |= named.written;
                if let (Cell::Rows(row, words), Cell::Rows(_, more)) = (known.cell, named.cell) {
                    known.cell = Cell::Rows(row, words.max(more));
                }
            }
            None => self.named.push(named),
        }
    }

    fn accesses(&mut self, operation: &Operation) {
        match operation.op {
            Op::Store(access) | Op::StoreUnlock(access) => {
                let access = self.program.accesses[access];
                access.rows().for_each(|(row, words)| self.rows(row, words, false));
            }
            Op::Control(control) => {
                // The upper word of an address only has its sign, which handwritten code leaves out.
                control.sources().for_each(|(_, row, _)| self.rows(row, 1, false));
            }
            Op::Load(access) => {
                let upper = self.program.accesses[access].upper;
                upper.into_iter().for_each(|row| self.rows(row, 4, true));
            }
            Op::MatrixStore(store) => {
                let store = self.program.matrix_accesses[store];
                self.rows(store.data, store.count.into(), false);
            }
            Op::Atomic(atomic) => {
                let atomic = self.program.atomics[atomic];
                let words = atomic.ty.bits().div_ceil(32) as u16;
                if let Some(b) = atomic.b {
                    self.rows(b.row, words, false);
                }
                if atomic.op == warplens_sim_cuda::address::AtomicOp::CompareSwap {
                    self.rows(atomic.c.row, words, false);
                }
                if let AtomicResult::SwappedPredicate(predicate) | AtomicResult::Done(predicate) =
                    atomic.result
                {
                    self.predicate(predicate, true);
                }
            }
            Op::ToPredicates if !operation.sets_cc => self.unpacked(operation),
            _ => {}
        }
        let addresses = self.program.addresses(operation.op);
        for term in addresses.iter().flat_map(|address| address.terms.iter().flatten()) {
            self.rows(term.row, if term.wide { 2 } else { 1 }, false);
        }
    }
}

impl Names<'_> {
    /// `R2P` writes the predicates of its mask. With a mask in a register any of them may be the result of an earlier
    /// instruction; that it is written is assumed.
    fn unpacked(&mut self, operation: &Operation) {
        let mask_row = operation.s[1].row;
        let constant = self.program.layout.constants.iter().find(|(row, _)| *row == mask_row);
        let mask = match constant {
            Some((_, Constant::Immediate(mask))) => *mask,
            _ => 0x7f,
        };
        let first = operation.first_predicate();
        (0..7).filter(|bit| mask >> bit & 1 == 1).for_each(|bit| self.predicate(first + bit, true));
    }
}

fn words(wide: bool) -> u16 {
    1 + u16::from(wide)
}

/// How many words the destination and each source have.
pub(super) fn widths(operation: &Operation, program: &Program) -> (u16, [u16; 3]) {
    match operation.op {
        Op::Nop
        | Op::Unsupported(_)
        | Op::Fence { .. }
        | Op::Store(_)
        | Op::StoreUnlock(_)
        | Op::MatrixStore(_)
        | Op::RequestRegisters
        | Op::Copy { .. } => (0, [0; 3]),
        Op::Unknown(unknown) => (0, [u16::from(program.unknowns[unknown].selects), 0, 0]),
        Op::Load(access) | Op::LoadConstant(access) | Op::LoadLocked(access) => {
            (program.accesses[access].rows().next().map_or(0, |(_, words)| words), [0; 3])
        }
        Op::Atomic(atomic) => (program.atomics[atomic].ty.bits().div_ceil(32) as u16, [0; 3]),
        Op::MatrixLoad(load) => (program.matrix_accesses[load].count.into(), [0; 3]),
        Op::MatrixProduct(product) => {
            let [a, b, c, d] = program.products[product].matrices();
            (d.registers as u16, [a, b, c].map(|matrix| matrix.registers as u16))
        }
        Op::Special { wide, .. } => (words(wide), [0; 3]),
        Op::BarrierResult => (1, [0; 3]),
        Op::MoveWide | Op::SelectWide | Op::Add3Wide { .. } => (2, [2; 3]),
        Op::MulAddWide { .. } => (2, [1, 1, 2]),
        Op::MulAddHigh { .. } => (1, [1, 1, 2]),
        Op::MinMax(kind) if kind.bits == 64 => (2, [2, 2, 0]),
        Op::Compare(compare) if compare.wide => (0, [2, 2, 0]),
        Op::Compare(_) | Op::CompareCc(_) | Op::FloatSetp(..) | Op::HalfSetp { .. } | Op::FloatCheck => {
            (0, [1, 1, 0])
        }
        Op::CompareTo(compare, _) if compare.wide => (1, [2, 2, 0]),
        Op::Plop3(signs) => (0, [0, 1, 2].map(|index: u16| u16::from(signs >> index & 1))),
        Op::PredicatesTo(_) => (1, [0; 3]),
        Op::TestCc(_) => (0, [0; 3]),
        Op::ToPredicates => (0, [1, 0, 0]),
        Op::Double(Arithmetic::Add | Arithmetic::Mul, _) | Op::DoubleMinMax => (2, [2, 2, 0]),
        Op::Double(Arithmetic::Fma, _) => (2, [2; 3]),
        Op::DoubleSetp(..) | Op::DoublePick { .. } => (0, [2, 2, 0]),
        Op::DoubleSet(..) => (1, [2, 2, 0]),
        Op::FloatPair(..) => (2, [2; 3]),
        Op::Convert(Convert { from, to, .. }) => (words(to.bits() == 64), [words(from.bits() == 64), 0, 0]),
        Op::InWindow(_) => (0, [2, 0, 0]),
        Op::Match { wide, .. } => (1, [words(wide), 0, 0]),
        Op::Vote(_) => (1, [0; 3]),
        Op::Elect { masked } => (1, [u16::from(masked), 0, 0]),
        Op::Control(Control::BarrierMove(BarrierStep::Read { .. } | BarrierStep::State(_))) => (1, [0; 3]),
        Op::Control(_) => (0, [0; 3]),
        _ => (1, [1; 3]),
    }
}
