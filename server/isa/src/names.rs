//! Name tables: a minimal perfect hash from names to entries, laid out by the generator.

use crate::hash::hash;

/// A fixed set of names, each with an entry, found in constant time.
#[derive(Debug)]
pub(crate) struct Names<T: 'static> {
    /// For each bucket of names, the seed that gives every one of them a slot of its own.
    pub(crate) seeds: &'static [u32],
    /// The names with their entries, as many slots as names.
    pub(crate) slots: &'static [(&'static str, T)],
}

impl<T> Names<T> {
    /// The entry of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&'static T> {
        if self.slots.is_empty() {
            return None;
        }
        let bucket = hash(name, 0) as usize % self.seeds.len();
        let slot = hash(name, self.seeds[bucket]) as usize % self.slots.len();
        let (found, entry) = &self.slots[slot];
        (*found == name).then_some(entry)
    }
}
