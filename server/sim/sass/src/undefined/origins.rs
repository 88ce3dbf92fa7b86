//! Where undefined values come from.

use smallvec::SmallVec;
use warplens_sim_cuda::inactive_sources::InactiveSources;

/// A row of the register file or, numbered after the rows, a predicate.
pub(crate) type Key = u16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Unwritten(Key),
    /// A shuffle read lanes that do not participate in it.
    Shuffle(InactiveSources),
    /// An instruction that is not simulated computes the value.
    NotSimulated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) cause: Cause,
    /// The statement. For an unwritten register, the first statement that reads it; `None` until then.
    pub(super) statement: Option<u32>,
}

impl Origin {
    /// Whether a run that needs the value stops.
    pub(super) fn stops(self) -> bool {
        self.cause == Cause::NotSimulated
    }
}

/// The origins of up to 32 values, which are lanes of a register or bytes of memory. A bit of a mask stands for a value.
///
/// **Invariant**: the masks are disjoint and not zero. Nearly always, there is only one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Origins(SmallVec<[(u32, Origin); 1]>);

impl Origins {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Origin)> + '_ {
        self.0.iter().copied()
    }

    /// The origins of the values that other bits stand for.
    pub(super) fn map_masks(&self, to: impl Fn(u32) -> u32) -> Origins {
        Origins(self.iter().map(|(mask, origin)| (to(mask), origin)).filter(|(mask, _)| *mask != 0).collect())
    }

    /// The values with an origin.
    pub(super) fn mask(&self) -> u32 {
        self.iter().fold(0, |all, (mask, _)| all | mask)
    }

    pub(super) fn get(&self, index: usize) -> Option<Origin> {
        self.iter().find_map(|(mask, origin)| (mask >> index & 1 != 0).then_some(origin))
    }

    /// The values whose origin stops a run.
    pub(super) fn stopping(&self) -> u32 {
        self.iter().filter(|(_, origin)| origin.stops()).fold(0, |all, (mask, _)| all | mask)
    }

    /// The origin of the first of these values, unless another origin stops a run.
    pub(super) fn any_in(&self, mask: u32) -> Option<Origin> {
        let among = self.iter().filter(|(of, _)| of & mask != 0);
        among
            .min_by_key(|(of, origin)| (!origin.stops(), (of & mask).trailing_zeros()))
            .map(|(_, origin)| origin)
    }

    /// Sets the origin of some values.
    pub(super) fn set(&mut self, mask: u32, origin: Origin) {
        self.keep(!mask);
        match self.0.iter_mut().find(|(_, known)| *known == origin) {
            Some((known, _)) => *known |= mask,
            None if mask != 0 => self.0.push((mask, origin)),
            None => {}
        }
    }

    /// Keeps only the origins of these values.
    pub(super) fn keep(&mut self, mask: u32) {
        self.0.retain(|(known, _)| {
            *known &= mask;
            *known != 0
        });
    }

    /// Adds origins of values. A value with both origins has the one that stops a run, otherwise the first.
    pub(super) fn add(&mut self, others: &Origins) {
        for (mask, origin) in others.iter() {
            let stays = if origin.stops() { self.stopping() } else { self.mask() };
            self.set(mask & !stays, origin);
        }
    }

    /// Statement `statement` reads the values.
    pub(super) fn read_by(&mut self, statement: u32) {
        self.0.iter_mut().for_each(|(_, origin)| {
            origin.statement.get_or_insert(statement);
        });
    }
}
