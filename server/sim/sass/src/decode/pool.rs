//! Assigns rows of the register file while a program is decoded.

use rustc_hash::FxHashMap;
use warplens_hir::sass::{Function, Register, RegisterFile, Value};

use crate::program::{Constant, Layout};
use crate::registers::Row;

/// Rows after the highest register that an operand names, because operands may be wide.
const WIDE: u16 = 8;

pub(super) struct Pool {
    layout: Layout,
    known: FxHashMap<Vec<Constant>, Row>,
    /// The first row of each group of constants, in order.
    firsts: Vec<Row>,
}

impl Pool {
    pub(super) fn new<'f>(functions: impl Iterator<Item = &'f Function>) -> Pool {
        let (mut general, mut uniform) = (0u16, 0u16);
        let mut name = |register: Register| {
            let number = u16::from(register.number) + 1;
            match register.file {
                _ if register.is_constant() => {}
                RegisterFile::General => general = general.max(number),
                RegisterFile::Uniform => uniform = uniform.max(number),
                _ => {}
            }
        };
        for operand in functions.flat_map(|function| &function.operands) {
            match &operand.value {
                Value::Register(register) => name(*register),
                Value::RegisterTarget(target) => name(target.register),
                Value::Constant(constant) => constant.register.into_iter().for_each(&mut name),
                Value::Address(address) => address.terms.iter().for_each(|term| name(term.register)),
                _ => {}
            }
        }
        let (general, uniform) = (general + WIDE, uniform + WIDE);
        let layout = Layout {
            general,
            zero: general,
            dropped: general + 16,
            scratch: general + 32,
            uniform: (general + 36, uniform),
            constants: Vec::new(),
            rows: general + 36 + uniform,
        };
        Pool { layout, known: FxHashMap::default(), firsts: Vec::new() }
    }

    /// The rows of consecutive constants.
    pub(super) fn constants(&mut self, constants: Vec<Constant>) -> Row {
        if let Some(row) = self.known.get(&constants) {
            return *row;
        }
        let first = self.layout.rows;
        self.layout.rows += constants.len() as u16;
        self.layout.constants.extend((first..).zip(constants.iter().copied()));
        self.known.insert(constants, first);
        self.firsts.push(first);
        first
    }

    /// Whether a source has this many words. Registers continue in the next row, but a constant ends with its
    /// own words.
    pub(super) fn has_words(&self, row: Row, words: u16) -> bool {
        let next = self.firsts.partition_point(|first| *first <= row);
        let end = self.firsts.get(next).copied().unwrap_or(self.layout.rows);
        row + words <= end
    }

    pub(super) fn immediate(&mut self, value: u32) -> Row {
        if value == 0 { self.layout.zero } else { self.constants(vec![Constant::Immediate(value)]) }
    }

    /// The value of a row, if it is the same in every launch.
    pub(super) fn value(&self, row: Row) -> Option<u32> {
        let constant = self.layout.constants.iter().find(|(at, _)| *at == row);
        match constant {
            Some((_, Constant::Immediate(value))) => Some(*value),
            _ => (row == self.layout.zero).then_some(0),
        }
    }

    pub(super) fn zero(&self) -> Row {
        self.layout.zero
    }

    pub(super) fn dropped(&self) -> Row {
        self.layout.dropped
    }

    pub(super) fn row(&self, register: Register) -> Row {
        match register.file {
            _ if register.is_constant() => self.layout.zero,
            RegisterFile::Uniform => self.layout.uniform.0 + u16::from(register.number),
            _ => register.number.into(),
        }
    }

    pub(super) fn finish(self) -> Layout {
        self.layout
    }
}
