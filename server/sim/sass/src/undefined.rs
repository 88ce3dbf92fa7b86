//! Values that a run does not know, from their origin to their use.
//!
//! A register is undefined in a lane if it is read before it is written, if a shuffle reads a lane that does
//! not participate, or if an instruction that is not simulated computes it. That alone is not a problem:
//! compilers pack, select and save values that are never used. It is a problem where the value matters: in a
//! branch, an address, or a store that others see. There, an unwritten register is reported, and a run that
//! needs the result of an instruction that is not simulated stops.
//!
//! `transfer` determines which results of an operation are undefined, `memory` keeps undefined values that
//! are stored, `uses` reports where a value matters, `suspects` finds the registers that may be read before
//! they are written.

mod flags;
mod memory;
mod origins;
pub(crate) mod suspects;
mod transfer;
mod uses;
mod visit;
mod word;

use rustc_hash::FxHashMap;
use warplens_sim_cuda::inactive_sources::InactiveSources;
use warplens_sim_cuda::registers::FULL;

pub(crate) use self::memory::UndefinedMemory;
pub(crate) use self::origins::Key;
use self::origins::{Cause, Origin};
pub(crate) use self::uses::Effects;
pub(crate) use self::visit::UndefinedVisit;
use self::word::UndefinedWord;
use super::program::{Cell, Layout};
use super::registers::{Condition, Predicate, Row};

#[derive(Clone, Debug)]
pub(crate) struct UndefinedValues {
    /// The lanes with an undefined bit, by key.
    lanes: Vec<u32>,
    /// The number of registers with an undefined bit.
    count: usize,
    /// That of a register without undefined bits has no meaning.
    words: FxHashMap<Key, Box<UndefinedWord>>,
}

impl UndefinedValues {
    /// The state at the start of a warp: the registers that may be read before they are written are
    /// undefined.
    pub(super) fn new(layout: &Layout, suspects: &[Key]) -> UndefinedValues {
        let keys = usize::from(layout.rows) + 32;
        let mut values = UndefinedValues { lanes: vec![0; keys], count: 0, words: FxHashMap::default() };
        for &key in suspects {
            let origin = Origin { cause: Cause::Unwritten(key), statement: None };
            values.set(key, FULL, &UndefinedWord::in_lanes(FULL, origin));
        }
        values
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The lanes in which a register has an undefined bit.
    #[inline(always)]
    fn lanes_of(&self, key: Key) -> u32 {
        self.lanes.get(usize::from(key)).copied().unwrap_or(0)
    }

    pub(super) fn condition(&self, condition: Condition) -> u32 {
        self.lanes_of(self.predicate(condition.predicate))
    }

    pub(super) fn predicate(&self, predicate: Predicate) -> Key {
        (self.lanes.len() - 32) as Key + Key::from(predicate % 32)
    }

    fn keys(&self, cell: Cell) -> std::ops::Range<Key> {
        keys(cell, self.predicate(0))
    }

    /// The undefined bits of a register that `statement` reads.
    fn read(&self, key: Key, statement: u32) -> UndefinedWord {
        let Some(word) = self.words.get(&key).filter(|_| self.lanes_of(key) != 0) else {
            return UndefinedWord::default();
        };
        let mut word = (**word).clone();
        word.origins.read_by(statement);
        word
    }

    /// Lanes write a register that is undefined in these bits.
    fn set(&mut self, key: Key, mask: u32, word: &UndefinedWord) {
        let Some(known) = self.lanes.get_mut(usize::from(key)).filter(|_| mask != 0) else { return };
        let before = *known;
        *known = before & !mask | word.lanes() & mask;
        self.count = self.count + usize::from(*known != 0) - usize::from(before != 0);
        if *known == 0 {
            return;
        }
        let kept = self.words.entry(key).or_default();
        if before == 0 {
            **kept = UndefinedWord::default();
        }
        kept.replace(mask, word);
    }

    /// Lanes get a defined value of a register.
    pub(super) fn define(&mut self, cell: Cell, mask: u32) {
        self.keys(cell).for_each(|key| self.set(key, mask, &UndefinedWord::default()));
    }

    /// The lanes in which a bit of a register depends on an instruction that is not simulated.
    pub(super) fn unknown(&self, cell: Cell) -> u32 {
        let undefined = self.keys(cell).filter(|key| self.lanes_of(*key) != 0);
        let words = undefined.filter_map(|key| Some(self.words.get(&key)?.stopping_lanes()));
        words.fold(0, |all, lanes| all | lanes)
    }

    /// Lanes executed a shuffle that reads lanes which do not participate.
    pub(super) fn shuffled(&mut self, row: Row, inactive: InactiveSources, statement: u32) {
        let origin = Origin { cause: Cause::Shuffle(inactive), statement: Some(statement) };
        self.set(row, inactive.readers, &UndefinedWord::in_lanes(FULL, origin));
    }

    /// Lanes copied a register.
    pub(super) fn copy(&mut self, to: Row, from: Row, statement: u32, mask: u32) {
        let word = self.read(from, statement);
        self.set(to, mask, &word);
    }

    /// Lanes executed an instruction that is not simulated, so its results are unknown.
    pub(super) fn compute_unknown(&mut self, cells: &[Cell], statement: u32, mask: u32) {
        let origin = Origin { cause: Cause::NotSimulated, statement: Some(statement) };
        let word = UndefinedWord::in_lanes(FULL, origin);
        for cell in cells {
            self.keys(*cell).for_each(|key| self.set(key, mask, &word));
        }
    }
}

fn keys(cell: Cell, first_predicate: Key) -> std::ops::Range<Key> {
    match cell {
        Cell::Rows(first, count) => first..first + count,
        Cell::Predicate(predicate) => {
            let key = first_predicate + Key::from(predicate % 32);
            key..key + 1
        }
    }
}

/// Whether a row is a register that code can name, and not a constant.
fn is_register(layout: &Layout, row: Row) -> bool {
    let (first, count) = layout.uniform;
    row < layout.general || (first..first + count).contains(&row)
}
