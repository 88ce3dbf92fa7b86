//! The registers of a warp, lane by lane.
//!
//! General registers, uniform registers, immediates and words of constant banks are rows of one file, so that
//! a source is always a row and no loop has to check its kind. A uniform register has the same value in all
//! lanes of its row.

use warplens_sim_cuda::registers::{FULL, LaneRow, PerLane, WIDTH, blend};

pub type Row = u16;

/// The number of a predicate in the file.
pub type Predicate = u8;

/// `PT`, `UPT`: true.
pub const TRUE: Predicate = 7;
/// The first uniform predicate.
pub const UNIFORM: Predicate = 8;
pub const CC_ZERO: Predicate = 16;
pub const CC_SIGN: Predicate = 17;
pub const CC_CARRY: Predicate = 18;
pub const CC_OVERFLOW: Predicate = 19;
/// The second carry of a sum of three words.
pub const CC_CARRY_2: Predicate = 20;
/// The limit flag of a warp before Volta: a `PRET` found the maximum of nested calls.
pub const CALL_LIMIT: Predicate = 21;
/// The destination of discarded results.
pub const DROPPED: Predicate = 31;
/// The number of predicates in the file.
const PREDICATES: usize = 32;

/// Negates a source: an integer becomes its complement plus one, a float flips its sign.
pub const NEGATE: u8 = 1;
pub const INVERT: u8 = 2;
/// Applies before the negation.
pub const ABSOLUTE: u8 = 4;

/// The part of a source register that an operation uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Part {
    #[default]
    Whole,
    /// A half: `.H0`, `.H1`
    Half(u8),
    /// A byte: `.B0` … `.B3`
    Byte(u8),
    /// The lower half twice: `.H0_H0`
    LowTwice,
    /// The upper half twice: `.H1_H1`
    HighTwice,
    /// Both halves, the upper one negated: `.H0_NH1`
    HighNegated,
    /// A single truncated to a half, twice: `.F32`
    Single,
}

/// A source: its first row, and how its value is modified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The first row; wider values continue in the next rows.
    pub row: Row,
    /// [`NEGATE`], [`INVERT`], [`ABSOLUTE`]
    pub sign: u8,
    pub part: Part,
}

impl Source {
    /// A whole row without modifiers.
    pub fn of(row: Row) -> Source {
        Source { row, ..Source::default() }
    }

    /// A later word of a wider value.
    pub fn word(self, index: u16) -> Source {
        Source { row: self.row + index, ..self }
    }

    /// The mask of the bits of a single to keep, and the mask of the bits to flip afterwards.
    #[inline(always)]
    pub(crate) fn float_masks(self) -> (u32, u32) {
        let kept = if self.sign & ABSOLUTE != 0 { u32::MAX >> 1 } else { u32::MAX };
        (kept, if self.sign & NEGATE != 0 { 1 << 31 } else { 0 })
    }

    /// The mask of the bits of a word to flip, and the term to add afterwards.
    #[inline(always)]
    pub(crate) fn sum_terms(self) -> (u32, u32) {
        let flipped = if self.sign & (NEGATE | INVERT) != 0 { u32::MAX } else { 0 };
        (flipped, u32::from(self.sign & NEGATE != 0))
    }

    pub(crate) fn without_negation(self) -> Source {
        Source { sign: self.sign & !NEGATE, ..self }
    }

    pub(crate) fn negates(self) -> bool {
        self.sign & NEGATE != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    pub predicate: Predicate,
    /// Written as `!`.
    pub negated: bool,
}

impl Condition {
    /// `PT`
    pub const ALWAYS: Condition = Condition { predicate: TRUE, negated: false };
    /// `!PT`
    pub const NEVER: Condition = Condition { predicate: TRUE, negated: true };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) rows: Vec<LaneRow<u32, WIDTH>>,
    pub(crate) predicates: [u32; PREDICATES],
}

impl Registers {
    pub(crate) fn new(rows: Vec<LaneRow<u32, WIDTH>>) -> Registers {
        let mut predicates = [0; PREDICATES];
        predicates[usize::from(TRUE)] = FULL;
        predicates[usize::from(UNIFORM + TRUE)] = FULL;
        Registers { rows, predicates }
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: Row) -> &PerLane<u32> {
        &self.rows[usize::from(row)]
    }

    /// The rows of the sources, as they are.
    #[inline(always)]
    pub(crate) fn sources(&self, sources: &[Source; 3]) -> [&PerLane<u32>; 3] {
        sources.map(|source| self.row(source.row))
    }

    /// An integer source. `buffer` holds the value if it is not simply a row.
    #[inline(always)]
    pub(crate) fn int<'r>(&'r self, source: Source, buffer: &'r mut PerLane<u32>) -> &'r PerLane<u32> {
        let row = self.row(source.row);
        if source.sign == 0 && source.part == Part::Whole {
            return row;
        }
        *buffer = *row;
        select(buffer, source.part);
        if source.sign & ABSOLUTE != 0 {
            each(buffer, |a| (a as i32).unsigned_abs());
        }
        if source.sign & NEGATE != 0 {
            each(buffer, u32::wrapping_neg);
        }
        if source.sign & INVERT != 0 {
            each(buffer, |a| !a);
        }
        buffer
    }

    pub(crate) fn int_in(&self, source: Source, lane: usize) -> u32 {
        self.int(source, &mut [0; WIDTH])[lane]
    }

    #[inline(always)]
    pub(crate) fn float<'r>(&'r self, source: Source, buffer: &'r mut PerLane<u32>) -> &'r PerLane<u32> {
        let row = self.row(source.row);
        if source.sign == 0 {
            return row;
        }
        let (kept, changed) = source.float_masks();
        *buffer = row.map(|a| a & kept ^ changed);
        buffer
    }

    /// The bits of a pair of rows.
    #[inline(always)]
    pub(crate) fn bits_64(&self, row: Row) -> PerLane<u64> {
        let (low, high) = (self.row(row), self.row(row + 1));
        std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
    }

    #[inline(always)]
    pub(crate) fn int_64(&self, source: Source) -> PerLane<u64> {
        let mut bits = self.bits_64(source.row);
        if source.sign & ABSOLUTE != 0 {
            bits = bits.map(|a| (a as i64).unsigned_abs());
        }
        if source.sign & NEGATE != 0 {
            bits = bits.map(u64::wrapping_neg);
        }
        if source.sign & INVERT != 0 {
            bits = bits.map(|a| !a);
        }
        bits
    }

    #[inline(always)]
    pub(crate) fn double(&self, source: Source) -> PerLane<u64> {
        let mut bits = self.bits_64(source.row);
        if source.sign & ABSOLUTE != 0 {
            bits = bits.map(|a| a & !(1 << 63));
        }
        if source.sign & NEGATE != 0 {
            bits = bits.map(|a| a ^ 1 << 63);
        }
        bits
    }

    #[inline(always)]
    pub(crate) fn holds(&self, condition: Condition) -> u32 {
        let lanes = self.predicates[usize::from(condition.predicate)];
        if condition.negated { !lanes } else { lanes }
    }

    /// Writes the lanes of `mask` in a row.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: Row, mask: u32, values: &PerLane<u32>) {
        let row = &mut self.rows[usize::from(row)];
        match mask {
            FULL => **row = *values,
            _ => blend(row, mask, |lane| values[lane]),
        }
    }

    /// Writes the lanes of `mask` in a pair of rows.
    #[inline(always)]
    pub(crate) fn set_64(&mut self, row: Row, mask: u32, values: &PerLane<u64>) {
        self.set(row, mask, &values.map(|value| value as u32));
        self.set(row + 1, mask, &values.map(|value| (value >> 32) as u32));
    }

    /// Writes the lanes of `mask` in a predicate.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, predicate: Predicate, mask: u32, value: u32) {
        let target = &mut self.predicates[usize::from(predicate)];
        *target = *target & !mask | value & mask;
    }
}

#[inline(always)]
fn each(lanes: &mut PerLane<u32>, f: impl Fn(u32) -> u32) {
    for value in lanes.iter_mut() {
        *value = f(*value);
    }
}

fn select(lanes: &mut PerLane<u32>, part: Part) {
    match part {
        Part::Half(half) => each(lanes, |a| a >> (16 * half) & 0xffff),
        Part::Byte(byte) => each(lanes, |a| a >> (8 * byte) & 0xff),
        _ => {}
    }
}
