//! The completion of operations: reads the sources, writes the destinations and signals the mbarrier.

use super::operation::{Convert, Effect, Issuer, MemoryPosition, Operation, Segment, Signal, Transfer};
use super::phase_log::PhaseAction;
use super::queue::GroupWait;
use crate::address::Space;
use crate::memory::atomic_operation::apply;
use crate::memory::mbarrier_object::Object;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::{Spaces, read, write};
use crate::sanitizer::copies::CopyFamily;

impl Spaces {
    pub fn issue(&mut self, operation: Operation) {
        if self.asynchronous.eager {
            self.complete(operation);
        } else {
            let oldest = self.asynchronous.push(operation);
            oldest.into_iter().for_each(|operation| self.complete(operation));
        }
    }

    /// Completes the oldest operation in flight for which a thread may wait, and for a commit, the earlier operations of its
    /// thread; returns `false` if there is no operation in flight.
    pub fn complete_oldest(&mut self) -> bool {
        let oldest = self.asynchronous.take_oldest();
        let is_any = !oldest.is_empty();
        oldest.into_iter().for_each(|operation| self.complete(operation));
        is_any
    }

    /// Completes an operation in flight, after those that it follows; returns `false` if there is none with this index.
    pub fn complete_chosen(&mut self, index: usize) -> bool {
        let chosen = self.asynchronous.take_chosen(index);
        let is_any = !chosen.is_empty();
        chosen.into_iter().for_each(|operation| self.complete(operation));
        is_any
    }

    pub fn complete_all(&mut self) {
        self.asynchronous.take_all().into_iter().for_each(|operation| self.complete(operation));
    }

    /// Threads wait until at most `left` groups of a family are in flight; with `read`, only until their sources have
    /// been read.
    pub fn wait_for_groups(&mut self, waiting: Issuer, family: CopyFamily, left: Option<u32>, read: bool) {
        let wait = GroupWait { waiting, family, left };
        if read {
            let mut queue = std::mem::take(&mut self.asynchronous);
            queue.covered(&wait).for_each(|operation| self.read_sources(operation));
            self.asynchronous = queue;
        } else {
            let covered = self.asynchronous.take_covered(&wait);
            covered.into_iter().for_each(|operation| self.complete(operation));
        }
    }

    fn complete(&mut self, mut operation: Operation) {
        self.read_sources(&mut operation);
        match &operation.effect {
            Effect::Transfer(transfer) => {
                self.write_destinations(transfer);
                self.log_destinations(transfer, operation.issuer, operation.statement);
            }
            Effect::Cells(cells) => {
                let size = self.window.size;
                if let Some(problem) = cells.effect.complete(&self.shared, size, &mut self.tensor_memory) {
                    self.asynchronous.note_problem(operation.issuer, operation.statement, problem);
                }
                self.changes += 1;
            }
            Effect::Nothing => {}
        }
        self.signal(operation.signal, operation.statement, operation.issuer);
    }

    fn read_sources(&self, operation: &mut Operation) {
        let Effect::Transfer(transfer) = &mut operation.effect else { return };
        if transfer.data.is_some() {
            return;
        }
        let mut data = Vec::with_capacity(transfer.segments.iter().map(|segment| segment.len).sum());
        for &Segment { from, len, .. } in &transfer.segments {
            match from.and_then(|place| self.bytes(place.region).get(place.index..place.index + len)) {
                Some(bytes) => data.extend_from_slice(bytes),
                None if transfer.fill.is_empty() => data.resize(data.len() + len, 0),
                None => data.extend(transfer.fill.iter().cycle().take(len)),
            }
        }
        convert(transfer.convert, &mut data);
        transfer.data = Some(data);
    }

    /// The byte that the latest copy in flight writes to an offset of a region; `None` if there is none, or if it is not known yet.
    pub fn arriving_byte(&self, region: MemoryRegion, at: usize) -> Option<u8> {
        let operations = self.asynchronous.operations.iter().rev();
        let transfers = operations.filter_map(|operation| match &operation.effect {
            Effect::Transfer(transfer) if transfer.reduction.is_none() => Some(transfer),
            _ => None,
        });
        for transfer in transfers {
            let mut offset = 0;
            for Segment { from, to, len } in &transfer.segments {
                if let Some(to) =
                    to.filter(|to| to.region == region && (to.index..to.index + len).contains(&at))
                {
                    let within = at - to.index;
                    return match (&transfer.data, from) {
                        (Some(data), _) => data.get(offset + within).copied(),
                        (None, Some(from)) if transfer.convert == Convert::No => {
                            self.bytes(from.region).get(from.index + within).copied()
                        }
                        (None, None) if transfer.fill.is_empty() => Some(0),
                        _ => None,
                    };
                }
                offset += len;
            }
        }
        None
    }

    fn write_destinations(&mut self, transfer: &Transfer) {
        let mut data = transfer.data.as_deref().unwrap_or_default();
        for &Segment { to, len, .. } in &transfer.segments {
            let (bytes, rest) = data.split_at(len.min(data.len()));
            data = rest;
            let Some(MemoryPosition { region, index }) = to else { continue };
            let Some(target) = self.bytes_mut(region).get_mut(index..index + len) else { continue };
            match transfer.reduction {
                None => target.copy_from_slice(bytes),
                Some((op, ty)) => {
                    let size = ty.bytes() as u32;
                    // Atomics on halves and singles behave differently in shared and global memory.
                    let space = if region == MemoryRegion::Shared { Space::Shared } else { Space::Global };
                    for at in (0..len).step_by(size as usize) {
                        let (old, value) = (read(target, at, size), read(bytes, at, size));
                        let new = apply(op, ty, space, old.into(), value.into(), 0);
                        write(target, at, size, new as u64);
                    }
                }
            }
        }
        self.changes += 1;
    }

    fn log_destinations(&self, transfer: &Transfer, issuer: Issuer, statement: u32) {
        if self.write_log.is_some() {
            let copies = transfer.reduction.is_none() && transfer.convert == Convert::No;
            for Segment { from, to, len } in &transfer.segments {
                let source = from.filter(|_| copies);
                to.inspect(|to| self.wrote_late((to.region, to.index, *len), source, issuer, statement));
            }
        }
    }

    fn signal(&mut self, signal: Signal, statement: u32, issuer: Issuer) {
        let (at, bytes, arrivals) = match signal {
            Signal::Nothing => return,
            Signal::Bytes(at, bytes) => (at, bytes, 0),
            Signal::Arrive(at) => (at, 0, 1),
        };
        self.changes += 1;
        // The program may have invalidated the object in the meantime.
        let Some(bits) = self.shared.get(at..at + 8).map(|bytes| read(bytes, 0, 8)) else { return };
        let Some(mut object) = Object::of_bits(bits) else { return };
        if object.expect(-i64::from(bytes)).is_err() || object.arrive(arrivals).is_err() {
            return;
        }
        let parity = object.parity;
        object.advance();
        if bytes != 0 {
            self.asynchronous.phases.note(at, statement, PhaseAction::Complete, bytes.into());
        }
        if arrivals != 0 {
            self.asynchronous.phases.note(at, statement, PhaseAction::Arrive, arrivals);
            self.asynchronous.phases.arrived(at, issuer);
        }
        if object.parity != parity {
            self.asynchronous.phases.advance(at);
        }
        write(&mut self.shared, at, 8, object.bits());
        self.wrote_late((MemoryRegion::Shared, at, 8), None, issuer, statement);
    }
}

fn convert(convert: Convert, data: &mut [u8]) {
    if convert == Convert::No {
        return;
    }
    for bytes in data.chunks_exact_mut(4) {
        let bits = read(bytes, 0, 4) as u32;
        let exponent = bits & 0x7f80_0000;
        let new = match convert {
            Convert::Flush | Convert::FlushTf32 if exponent == 0 => bits & 0x8000_0000,
            // Rounds to nearest, ties away from zero, like `cvt.rna.tf32`.
            Convert::Tf32 | Convert::FlushTf32 if exponent != 0x7f80_0000 => {
                bits.wrapping_add(0x1000) & !0x1fff
            }
            _ => bits,
        };
        write(bytes, 0, 4, new.into());
    }
}
