//! The undefined bits of registers.

use pulp::Scalar;
use warplens_sim_cuda::registers::{FULL, PerLane, WIDTH, lanes, lanes_where};

use super::origins::{Origin, Origins};

/// The undefined bits of a word in each lane. A predicate is undefined in all bits or none.
#[derive(Clone, Debug, Default)]
pub(super) struct UndefinedWord {
    pub(super) bits: PerLane<u32>,
    /// Lanes without undefined bits may have an origin, too.
    pub(super) origins: Origins,
}

impl UndefinedWord {
    /// Undefined in all bits of these lanes.
    pub(super) fn in_lanes(mask: u32, origin: Origin) -> UndefinedWord {
        let mut word = UndefinedWord::default();
        for lane in lanes(mask) {
            word.bits[lane] = u32::MAX;
        }
        word.origins.set(mask, origin);
        word
    }

    /// The lanes with an undefined bit.
    pub(super) fn lanes(&self) -> u32 {
        lanes_where(Scalar::new(), |lane| self.bits[lane] != 0)
    }

    /// The undefined bits of several words, combined.
    pub(super) fn any_of(words: impl IntoIterator<Item = UndefinedWord>) -> UndefinedWord {
        let mut words = words.into_iter();
        let mut all = words.next().unwrap_or_default();
        words.for_each(|word| all.add(&word));
        all
    }

    /// The lanes whose origin stops a run.
    pub(super) fn stopping_lanes(&self) -> u32 {
        self.lanes() & self.origins.stopping()
    }

    /// Adds the undefined bits of another word.
    pub(super) fn add(&mut self, other: &UndefinedWord) {
        for lane in 0..WIDTH {
            self.bits[lane] |= other.bits[lane];
        }
        self.origins.add(&other.origins);
    }

    /// Takes lanes from another word.
    pub(super) fn replace(&mut self, mask: u32, other: &UndefinedWord) {
        if mask == FULL {
            return self.clone_from(other);
        }
        for lane in lanes(mask) {
            self.bits[lane] = other.bits[lane];
        }
        self.origins.keep(!mask);
        other.origins.iter().for_each(|(of, origin)| self.origins.set(of & mask, origin));
    }

    /// Keeps only these lanes.
    pub(super) fn keep(mut self, mask: u32) -> UndefinedWord {
        self.replace(!mask, &UndefinedWord::default());
        self
    }

    /// Undefined in all bits of each lane that has an undefined bit.
    pub(super) fn whole(mut self) -> UndefinedWord {
        self.bits = self.bits.map(|bits| if bits == 0 { 0 } else { u32::MAX });
        self
    }

    /// Undefined in all bits of all lanes if any lane of `mask` has an undefined bit.
    pub(super) fn spread(&self, mask: u32) -> UndefinedWord {
        let origin = self.origins.any_in(mask & self.lanes());
        origin.map_or_else(UndefinedWord::default, |origin| UndefinedWord::in_lanes(FULL, origin))
    }

    /// A lane with the value of another lane has the origin of any lane.
    pub(super) fn fill_origins(&mut self) {
        let undefined = self.lanes();
        let any = self.origins.any_in(FULL);
        self.origins.keep(undefined);
        if let Some(origin) = any {
            self.origins.set(undefined & !self.origins.mask(), origin);
        }
    }
}
