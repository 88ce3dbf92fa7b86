//! The shadow of local memory: the last write of each word, and the accesses since.

use super::super::op::Row;

/// An access: its time, statement and lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// 0 if there was no access.
    time: u32,
    pub(super) statement: u32,
    pub(super) wave: u32,
    pub(super) lane: u8,
    /// A mask of the four bytes.
    bytes: u8,
}

impl Stamp {
    pub(super) fn new(time: u32, statement: u32, wave: u32, lane: u8) -> Stamp {
        Stamp { time, statement, wave, lane, bytes: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Load,
    /// The stored rows, low word first.
    Store([Row; 4]),
    /// A row of a tile.
    Tile,
    Atomic,
}

impl AccessKind {
    pub(super) fn reads(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Atomic)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) stamp: Stamp,
    pub(super) kind: AccessKind,
    /// Earlier accesses, before this time, happen before this one.
    pub(super) settled: u32,
    /// Whether it is a store of what memory holds already.
    pub(super) silent: bool,
}

/// An earlier access that is not ordered before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) before: Stamp,
    pub(super) was_read: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct WordShadow {
    /// The last write that is not atomic.
    write: Stamp,
    /// The waves that have stored the current value, modulo 64. They read it whichever of them stores last.
    writers: u64,
    /// Atomics since the last write, by two waves.
    atomics: [Stamp; 2],
    /// Reads since the last write, by two waves.
    readers: [Stamp; 2],
    written: u8,
}

/// Words of a page of the shadow.
const PAGE: usize = 256;

/// The words of local memory, up to the shadow limit, in pages. A page that nothing has accessed takes no memory.
#[derive(Clone, Debug)]
pub(super) struct LocalShadow {
    pages: Vec<Option<Box<[WordShadow; PAGE]>>>,
}

impl LocalShadow {
    pub(super) fn new(bytes: usize, max_bytes: u64) -> LocalShadow {
        let capacity = usize::try_from(max_bytes).unwrap_or(usize::MAX) / size_of::<WordShadow>();
        let words = bytes.div_ceil(4).min(capacity);
        LocalShadow { pages: vec![None; words.div_ceil(PAGE)] }
    }

    /// Whether all bytes have been written. Bytes beyond the limit count as written.
    pub(super) fn is_written(&self, start: usize, bytes: usize) -> bool {
        pieces(start, bytes).all(|(word, mask)| match self.pages.get(word / PAGE) {
            Some(Some(page)) => page[word % PAGE].written & mask == mask,
            Some(None) => false,
            None => true,
        })
    }

    /// Records an access and returns the first conflict.
    pub(super) fn touch(&mut self, start: usize, bytes: usize, access: &Access) -> Option<Conflict> {
        let mut found = None;
        for (word, bytes) in pieces(start, bytes) {
            let Some(page) = self.pages.get_mut(word / PAGE) else { continue };
            let page = page.get_or_insert_with(|| Box::new([WordShadow::default(); PAGE]));
            let cell = &mut page[word % PAGE];
            let stamp = Stamp { bytes, ..access.stamp };
            let conflict = match access.kind {
                AccessKind::Load => cell.load(stamp, access.settled),
                AccessKind::Atomic => cell.atomic(stamp, access.settled),
                AccessKind::Store(_) | AccessKind::Tile => cell.store(stamp, access.settled, access.silent),
            };
            found = found.or(conflict);
        }
        found
    }
}

/// Splits a byte range into words, with the affected bytes of each word.
fn pieces(start: usize, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = start + bytes;
    (start / 4..end.div_ceil(4)).map(move |word| {
        let of = |at: usize| (start..end).contains(&(4 * word + at));
        (word, (0..4).filter(|at| of(*at)).fold(0, |mask, at| mask | 1 << at))
    })
}

impl Stamp {
    /// The wave's bit in [`WordShadow::writers`].
    fn writer(self) -> u64 {
        1 << (self.wave % 64)
    }

    /// Whether `self` is not ordered before `now`.
    fn conflicts(self, now: Stamp, settled: u32) -> bool {
        self.time != 0 && self.bytes & now.bytes != 0 && self.wave != now.wave && self.time >= settled
    }
}

impl WordShadow {
    fn load(&mut self, now: Stamp, settled: u32) -> Option<Conflict> {
        note(&mut self.readers, now);
        let stored = self.writers & now.writer() != 0;
        if stored { self.changed_by_others(now, settled) } else { self.written_by_others(now, settled) }
    }

    fn atomic(&mut self, now: Stamp, settled: u32) -> Option<Conflict> {
        note(&mut self.atomics, now);
        self.written |= now.bytes;
        let written =
            self.write.conflicts(now, settled).then_some(Conflict { before: self.write, was_read: false });
        written.or_else(|| self.read_by_others(now, settled))
    }

    fn store(&mut self, now: Stamp, settled: u32, silent: bool) -> Option<Conflict> {
        let before = self.write;
        // Another lane of the same store.
        let same_store = before.time == now.time && before.lane != now.lane && before.bytes & now.bytes != 0;
        let conflict = match same_store {
            true => Some(Conflict { before, was_read: false }),
            false => self.written_by_others(now, settled).or_else(|| self.read_by_others(now, settled)),
        };
        let bytes = if before.time == now.time { before.bytes } else { 0 };
        let (write, written) = (Stamp { bytes: bytes | now.bytes, ..now }, self.written | now.bytes);
        let writers = now.writer() | if silent { self.writers } else { 0 };
        *self = WordShadow { write, writers, written, ..WordShadow::default() };
        conflict
    }

    fn written_by_others(&self, now: Stamp, settled: u32) -> Option<Conflict> {
        let written =
            self.write.conflicts(now, settled).then_some(Conflict { before: self.write, was_read: false });
        written.or_else(|| self.changed_by_others(now, settled))
    }

    /// An atomic of another wave since the last write.
    fn changed_by_others(&self, now: Stamp, settled: u32) -> Option<Conflict> {
        let changer = self.atomics.into_iter().find(|atomic| atomic.conflicts(now, settled));
        changer.map(|before| Conflict { before, was_read: false })
    }

    fn read_by_others(&self, now: Stamp, settled: u32) -> Option<Conflict> {
        let reader = self.readers.into_iter().find(|reader| reader.conflicts(now, settled));
        reader.map(|before| Conflict { before, was_read: true })
    }
}

/// Keeps an access in addition to an access of another wave.
fn note([first, second]: &mut [Stamp; 2], now: Stamp) {
    let is_free = |slot: &Stamp| slot.time == 0 || slot.wave == now.wave;
    let slot = if is_free(first) { first } else { second };
    let bytes = if slot.wave == now.wave && slot.time != 0 { slot.bytes } else { 0 };
    *slot = Stamp { bytes: bytes | now.bytes, ..now };
}
