//! The guard of an instruction.

use warplens_sim_cuda::slot::Slot;

/// The predicate that decides which lanes execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard(u32);

impl Guard {
    pub const ALWAYS: Guard = Guard(u32::MAX);

    /// `@p`, or `@!p`.
    pub fn new(slot: Slot, negated: bool) -> Guard {
        Guard(slot << 1 | u32::from(negated))
    }

    /// The lanes of `mask` in which the guard is true.
    #[inline(always)]
    pub fn of(self, predicates: &[u32], mask: u32) -> u32 {
        if self == Guard::ALWAYS {
            return mask;
        }
        let value = predicates[(self.0 >> 1) as usize];
        mask & if self.0 & 1 == 1 { !value } else { value }
    }
}
