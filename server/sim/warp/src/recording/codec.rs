//! The bytes of a segment. Numbers have seven bits in each byte, the lowest first. Most rows of lanes are uniform or affine, and
//! take a few bytes.

use super::access::{Access, Space};
use super::event::{Event, Row, Write};
use super::layout::CellId;
use crate::ids::{Mask, StatementId};
use crate::lane_iter::lanes;

/// What an event is encoded relative to: the event before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Previous {
    warp: u32,
    statement: u32,
    active: Mask,
    executed: Mask,
    depth: u32,
}

const LATE: u8 = 1;
const WARP: u8 = 2;
const STATEMENT: u8 = 4;
const LANES: u8 = 8;
const WRITES: u8 = 16;
const ACCESSES: u8 = 32;
const DEPTH: u8 = 64;
const ENTERS: u8 = 128;

const UNIFORM: u8 = 0;
const AFFINE: u8 = 1;
/// Raw values of 1 << (kind - RAW) bytes.
const RAW: u8 = 2;

const ALL_LANES: u8 = 1;
const HIGH: u8 = 2;

pub(super) fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends an event whose writes and accesses are already encoded.
pub(super) fn put_event(out: &mut Vec<u8>, previous: &mut Previous, event: &Event<'_>) {
    let Event { is_late, warp, statement, active, executed, depth, enters, writes, accesses, .. } = *event;
    let next = previous.statement.wrapping_add(1);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let flags = flag(is_late, LATE)
        | flag(warp != previous.warp, WARP)
        | flag(statement.0 != next, STATEMENT)
        | flag((active, executed) != (previous.active, previous.executed), LANES)
        | flag(!writes.is_empty(), WRITES)
        | flag(!accesses.is_empty(), ACCESSES)
        | flag(depth != previous.depth, DEPTH)
        | flag(enters.is_some(), ENTERS);
    out.push(flags);
    if flags & WARP != 0 {
        number(out, warp.into());
    }
    if flags & STATEMENT != 0 {
        number(out, statement.0.into());
    }
    if flags & LANES != 0 {
        number(out, active);
        number(out, active & !executed);
    }
    if flags & DEPTH != 0 {
        number(out, depth.into());
    }
    if let Some((function, depth)) = enters {
        number(out, function.into());
        number(out, depth.into());
    }
    for bytes in [writes, accesses].into_iter().filter(|bytes| !bytes.is_empty()) {
        number(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
    *previous = Previous { warp, statement: statement.0, active, executed, depth };
}

/// Appends the values of a row.
fn put_row(out: &mut Vec<u8>, mask: Mask, values: &[u64]) {
    let Some(&first) = values.first() else { return out.push(UNIFORM) };
    if values.iter().all(|value| *value == first) {
        out.push(UNIFORM);
        return number(out, first);
    }
    if let Some(stride) = stride(mask, values) {
        out.push(AFFINE);
        number(out, first);
        return number(out, zigzag(stride));
    }
    let widest = values.iter().fold(0, |all, value| all | value);
    let size = match u64::BITS - widest.leading_zeros() {
        ..=8 => 0,
        9..=16 => 1,
        17..=32 => 2,
        _ => 3,
    };
    out.push(RAW + size);
    out.reserve(values.len() << size);
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()[..1 << size]));
}

/// The difference between the values of neighboring lanes, if it is the same everywhere.
fn stride(mask: Mask, values: &[u64]) -> Option<i64> {
    let &[low, next, ..] = values else { return None };
    let mut at = lanes(mask);
    let (first, second) = (at.next()?, at.next()?);
    let (gap, difference) = ((second - first) as i64, next.wrapping_sub(low) as i64);
    let stride = if gap == 1 { difference } else { (difference % gap == 0).then(|| difference / gap)? };
    let value = |lane: usize| low.wrapping_add(stride.wrapping_mul((lane - first) as i64) as u64);
    lanes(mask).zip(values).all(|(lane, held)| value(lane) == *held).then_some(stride)
}

/// The number whose bytes these are, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Appends what lanes wrote to a register.
pub(super) fn put_write(out: &mut Vec<u8>, executed: Mask, write: &Write) {
    let Write { cell, low, high } = write;
    let all = if low.lanes == executed { ALL_LANES } else { 0 };
    let wide = if high.is_some() { HIGH } else { 0 };
    number(out, u64::from(cell.0) << 2 | u64::from(all | wide));
    if all == 0 {
        number(out, low.lanes);
    }
    put_row(out, low.lanes, &low.values);
    if let Some(high) = high {
        put_row(out, low.lanes, &high.values);
    }
}

pub(super) fn put_access(out: &mut Vec<u8>, access: &Access) {
    let Access { space, owner, reads, writes, bytes, lanes, data } = access;
    let space = Space::ALL.iter().position(|other| other == space).unwrap_or(0) as u8;
    out.push(space | u8::from(*reads) << 3 | u8::from(*writes) << 4);
    number(out, *owner);
    number(out, *bytes);
    number(out, data.len() as u64);
    let mask = lanes.iter().fold(0, |mask: Mask, (lane, _)| mask | 1 << lane);
    number(out, mask);
    let addresses: Vec<u64> = lanes.iter().map(|(_, address)| *address).collect();
    put_row(out, mask, &addresses);
    if data.is_empty() {
        return;
    }
    match bytes {
        1 | 2 | 4 | 8 => {
            let words: Vec<u64> = data.chunks(*bytes as usize).map(word).collect();
            put_row(out, mask, &words);
        }
        _ => out.extend_from_slice(data),
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'r> {
    bytes: &'r [u8],
    pub(super) previous: Previous,
}

impl<'r> Reader<'r> {
    pub(super) fn new(bytes: &'r [u8]) -> Reader<'r> {
        Reader { bytes, previous: Previous::default() }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn take(&mut self, len: u64) -> Option<&'r [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len as usize)?;
        self.bytes = rest;
        Some(taken)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The next event; `step` is the number of the next step.
    pub(super) fn event(&mut self, step: u64) -> Option<Event<'r>> {
        let flags = self.byte()?;
        let mut at = self.previous;
        at.statement = at.statement.wrapping_add(1);
        if flags & WARP != 0 {
            at.warp = self.number()? as u32;
        }
        if flags & STATEMENT != 0 {
            at.statement = self.number()? as u32;
        }
        if flags & LANES != 0 {
            at.active = self.number()?;
            at.executed = at.active & !self.number()?;
        }
        if flags & DEPTH != 0 {
            at.depth = self.number()? as u32;
        }
        let enters = match flags & ENTERS {
            0 => None,
            _ => Some((self.number()? as u32, self.number()? as u32)),
        };
        let mut part = |flag: u8| {
            if flags & flag == 0 {
                return Some(&[][..]);
            }
            let len = self.number()?;
            self.take(len)
        };
        let (writes, accesses) = (part(WRITES)?, part(ACCESSES)?);
        self.previous = at;
        Some(Event {
            step,
            is_late: flags & LATE != 0,
            warp: at.warp,
            statement: StatementId(at.statement),
            active: at.active,
            executed: at.executed,
            depth: at.depth,
            enters,
            writes,
            accesses,
        })
    }

    fn row(&mut self, mask: Mask) -> Option<Row> {
        let count = mask.count_ones() as usize;
        let values = match self.byte()? {
            UNIFORM if count == 0 => Vec::new(),
            UNIFORM => vec![self.number()?; count],
            AFFINE => {
                let (first, stride) = (self.number()?, self.number()?);
                let stride = (stride >> 1) as i64 ^ -((stride & 1) as i64);
                let origin = mask.trailing_zeros() as usize;
                let value =
                    |lane: usize| first.wrapping_add(stride.wrapping_mul((lane - origin) as i64) as u64);
                lanes(mask).map(value).collect()
            }
            raw => {
                let size = 1 << (raw - RAW);
                self.take((count * size) as u64)?.chunks(size).map(word).collect()
            }
        };
        Some(Row { lanes: mask, values })
    }

    pub(super) fn write(&mut self, executed: Mask) -> Option<Write> {
        let head = self.number()?;
        let mask = if head as u8 & ALL_LANES != 0 { executed } else { self.number()? };
        let low = self.row(mask)?;
        let high = if head as u8 & HIGH != 0 { Some(self.row(mask)?) } else { None };
        Some(Write { cell: CellId((head >> 2) as u32), low, high })
    }

    pub(super) fn access(&mut self) -> Option<Access> {
        let flags = self.byte()?;
        let space = *Space::ALL.get(usize::from(flags & 7))?;
        let (owner, bytes, len, mask) = (self.number()?, self.number()?, self.number()?, self.number()?);
        let addresses = self.row(mask)?;
        let data = match bytes {
            _ if len == 0 => Vec::new(),
            1 | 2 | 4 | 8 => {
                let words = self.row(mask)?.values;
                words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(bytes as usize)).collect()
            }
            _ => self.take(len)?.to_vec(),
        };
        let lanes = lanes(mask).map(|lane| lane as u32).zip(addresses.values).collect();
        Some(Access { space, owner, reads: flags & 8 != 0, writes: flags & 16 != 0, bytes, lanes, data })
    }
}

impl Event<'_> {
    /// The registers that were written.
    pub fn writes(&self) -> Vec<Write> {
        let mut reader = Reader::new(self.writes);
        std::iter::from_fn(|| reader.write(self.executed)).collect()
    }

    /// The memory that was accessed.
    pub fn accesses(&self) -> Vec<Access> {
        let mut reader = Reader::new(self.accesses);
        std::iter::from_fn(|| reader.access()).collect()
    }
}
