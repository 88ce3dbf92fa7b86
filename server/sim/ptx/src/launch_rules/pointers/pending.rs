//! The flows that are to be followed again because something that they read has changed.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{Object, Place};

/// What a flow reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Place(Place),
    /// Whatever is stored in the object, at any offset.
    Stored(Object),
}

/// The flows to follow, by number, in the order in which they were added.
pub(super) struct Pending {
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
    readers: FxHashMap<Source, Vec<usize>>,
    known: FxHashSet<(Source, usize)>,
}

impl Pending {
    /// All of this many flows.
    pub(super) fn all(flows: usize) -> Pending {
        Pending {
            queue: (0..flows).collect(),
            is_queued: vec![true; flows],
            readers: FxHashMap::default(),
            known: FxHashSet::default(),
        }
    }

    pub(super) fn next(&mut self) -> Option<usize> {
        let flow = self.queue.pop_front()?;
        self.is_queued[flow] = false;
        Some(flow)
    }

    pub(super) fn reads(&mut self, flow: usize, source: Source) {
        if self.known.insert((source, flow)) {
            self.readers.entry(source).or_default().push(flow);
        }
    }

    /// The place has changed: its readers follow.
    pub(super) fn changed(&mut self, place: Place) {
        self.wake(Source::Place(place));
        if let Place::Memory(address) = place {
            self.wake(Source::Stored(address.object));
        }
    }

    fn wake(&mut self, source: Source) {
        for &flow in self.readers.get(&source).into_iter().flatten() {
            if !std::mem::replace(&mut self.is_queued[flow], true) {
                self.queue.push_back(flow);
            }
        }
    }
}
