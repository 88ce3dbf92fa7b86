//! Shadow of local memory: who wrote each word last, and who has read it since.

use super::super::program::Row;

/// An access: when, where and by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// 0 where there was none.
    time: u32,
    statement: u32,
    wave: u32,
    lane: u8,
    /// Which of the four bytes.
    bytes: u8,
}

impl Stamp {
    pub(super) fn new(time: u32, statement: u32, wave: u32, lane: u8) -> Stamp {
        Stamp { time, statement, wave, lane, bytes: 0 }
    }

    pub(super) fn statement(self) -> u32 {
        self.statement
    }

    pub(super) fn wave(self) -> u32 {
        self.wave
    }

    pub(super) fn lane(self) -> u8 {
        self.lane
    }
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Load,
    /// Of these rows, low word first.
    Store([Row; 4]),
    /// A row of a tile.
    Tile,
    Atomic,
}

impl Deed {
    pub(super) fn reads(self) -> bool {
        matches!(self, Deed::Load | Deed::Atomic)
    }
}

/// The access that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) stamp: Stamp,
    pub(super) deed: Deed,
    /// What was before this moment is ordered before it.
    pub(super) settled: u32,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    pub(super) before: Stamp,
    /// Whether that one read.
    pub(super) was_read: bool,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The last that is no atomic.
    write: Stamp,
    /// Atomics since, of two waves.
    atomics: [Stamp; 2],
    /// Readers since, of two waves.
    readers: [Stamp; 2],
    /// The bytes that were ever written.
    written: u8,
}

/// The words of local memory; those behind the bound are not watched.
#[derive(Debug)]
pub(super) struct Local {
    cells: Vec<Cell>,
}

impl Local {
    pub(super) fn new(bytes: usize, most: u64) -> Local {
        let room = usize::try_from(most).unwrap_or(usize::MAX) / size_of::<Cell>();
        Local { cells: vec![Cell::default(); bytes.div_ceil(4).min(room)] }
    }

    /// Whether all bytes were written; those that are not watched count as written.
    pub(super) fn is_written(&self, start: usize, bytes: usize) -> bool {
        pieces(start, bytes)
            .all(|(word, mask)| self.cells.get(word).is_none_or(|cell| cell.written & mask == mask))
    }

    /// Notes an access; gives the first that it clashes with.
    pub(super) fn touch(&mut self, start: usize, bytes: usize, access: &Access) -> Option<Clash> {
        let mut found = None;
        for (word, bytes) in pieces(start, bytes) {
            let Some(cell) = self.cells.get_mut(word) else { continue };
            let stamp = Stamp { bytes, ..access.stamp };
            let clash = match access.deed {
                Deed::Load => cell.load(stamp, access.settled),
                Deed::Atomic => cell.atomic(stamp, access.settled),
                Deed::Store(_) | Deed::Tile => cell.store(stamp, access.settled),
            };
            found = found.or(clash);
        }
        found
    }
}

/// The words of some bytes, and which of the four bytes of each.
fn pieces(start: usize, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = start + bytes;
    (start / 4..end.div_ceil(4)).map(move |word| {
        let of = |at: usize| (start..end).contains(&(4 * word + at));
        (word, (0..4).filter(|at| of(*at)).fold(0, |mask, at| mask | 1 << at))
    })
}

impl Stamp {
    /// Whether `self` came before `now` with nothing between to order them.
    fn clashes(self, now: Stamp, settled: u32) -> bool {
        self.time != 0 && self.bytes & now.bytes != 0 && self.wave != now.wave && self.time >= settled
    }
}

impl Cell {
    fn load(&mut self, now: Stamp, settled: u32) -> Option<Clash> {
        note(&mut self.readers, now);
        self.written_by_others(now, settled)
    }

    fn atomic(&mut self, now: Stamp, settled: u32) -> Option<Clash> {
        note(&mut self.atomics, now);
        self.written |= now.bytes;
        let written =
            self.write.clashes(now, settled).then_some(Clash { before: self.write, was_read: false });
        written.or_else(|| self.read_by_others(now, settled))
    }

    fn store(&mut self, now: Stamp, settled: u32) -> Option<Clash> {
        let before = self.write;
        // Another lane of this very store.
        let beside = before.time == now.time && before.lane != now.lane && before.bytes & now.bytes != 0;
        let clash = match beside {
            true => Some(Clash { before, was_read: false }),
            false => self.written_by_others(now, settled).or_else(|| self.read_by_others(now, settled)),
        };
        let bytes = if before.time == now.time { before.bytes } else { 0 };
        let (write, written) = (Stamp { bytes: bytes | now.bytes, ..now }, self.written | now.bytes);
        *self = Cell { write, written, ..Cell::default() };
        clash
    }

    fn written_by_others(&self, now: Stamp, settled: u32) -> Option<Clash> {
        let [first, second] = self.atomics;
        let writer = [self.write, first, second].into_iter().find(|writer| writer.clashes(now, settled));
        writer.map(|before| Clash { before, was_read: false })
    }

    fn read_by_others(&self, now: Stamp, settled: u32) -> Option<Clash> {
        let reader = self.readers.into_iter().find(|reader| reader.clashes(now, settled));
        reader.map(|before| Clash { before, was_read: true })
    }
}

/// Keeps an access beside one of another wave.
fn note([first, second]: &mut [Stamp; 2], now: Stamp) {
    let is_free = |place: &Stamp| place.time == 0 || place.wave == now.wave;
    let place = if is_free(first) { first } else { second };
    let bytes = if place.wave == now.wave && place.time != 0 { place.bytes } else { 0 };
    *place = Stamp { bytes: bytes | now.bytes, ..now };
}
