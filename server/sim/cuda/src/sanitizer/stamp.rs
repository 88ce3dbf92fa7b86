//! The stamp of an access in shadow memory.

use crate::order::Scope;

/// Epochs from here on belong to copies in flight, one epoch per warp of the cluster.
pub(super) const IN_FLIGHT: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) epoch: u32,
    /// Statement, lane, [kind](KIND), packed.
    pub(super) site: u32,
}

/// The bits of [`Stamp::site`] with the strength and the size of an element.
pub(super) const KIND: u32 = 31;

/// Which accesses may be concurrent with this one without a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    Weak = 0,
    /// May be concurrent with accesses of its own block.
    Block = 1,
    Device = 2,
    /// Like `Device`, for a store that left the value unchanged.
    Unchanged = 3,
}

impl Strength {
    #[inline(always)]
    pub(super) fn of(strong: bool, scope: Scope) -> Strength {
        match scope {
            _ if !strong => Strength::Weak,
            Scope::Block => Strength::Block,
            Scope::Cluster | Scope::Device => Strength::Device,
        }
    }
}

impl Stamp {
    pub(super) fn new(epoch: u32, statement: u32, lane: u32, strength: Strength) -> Stamp {
        Stamp { epoch, site: statement << 10 | lane << 5 | strength as u32 }
    }

    /// A strong access of elements of this many bytes.
    pub(super) fn of_elements(self, bytes: u32) -> Stamp {
        Stamp { site: self.site | (bytes.trailing_zeros() + 1) << 2, ..self }
    }

    pub(super) fn statement(self) -> u32 {
        self.site >> 10
    }

    pub(super) fn lane(self) -> u32 {
        self.site >> 5 & 31
    }

    #[inline(always)]
    pub(super) fn of_lane(self, lane: u32) -> Stamp {
        Stamp { site: self.site & !(31 << 5) | lane << 5, ..self }
    }

    /// Whether both are strong accesses of elements whose sizes are known and differ. Elements are aligned to their size, so others that
    /// overlap are the same bytes.
    pub(super) fn differs_in_size(self, other: Stamp) -> bool {
        let [size, other] = [self, other].map(|stamp| stamp.site >> 2 & 7);
        size != other && size != 0 && other != 0
    }

    /// Whether both have the same epoch and statement.
    pub(super) fn is_of_same_visit(self, other: Stamp) -> bool {
        (self.epoch, self.statement()) == (other.epoch, other.statement())
    }

    /// Whether both have the same epoch, statement and lane.
    pub(super) fn is_of_same_access(self, other: Stamp) -> bool {
        self.epoch == other.epoch && (self.site ^ other.site) & !KIND == 0
    }

    pub(super) fn strength(self) -> Strength {
        match self.site & 3 {
            0 => Strength::Weak,
            1 => Strength::Block,
            2 => Strength::Device,
            _ => Strength::Unchanged,
        }
    }

    /// Whether this is a strong store that left the value unchanged.
    pub(super) fn is_unchanged(self) -> bool {
        self.strength() == Strength::Unchanged
    }

    pub(super) fn is_weak(self) -> bool {
        self.site & 3 == 0
    }

    pub(super) fn is_there(self) -> bool {
        self.epoch != 0
    }
}
