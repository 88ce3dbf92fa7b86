//! The values and branches to reevaluate, because something that they depend on has changed. Skipping the
//! rest changes neither the result nor which cause is found first.

use super::cause::ValueId;
use super::values::{Origin, Use, Values};
use crate::cfg::BlockId;
use crate::lists::Lists;

/// The index of a value, or, after all values, of a branch.
type Node = u32;

pub(super) struct Pending {
    values: u32,
    nodes: u32,
    users: Lists,
    /// For each block, the nodes that depend on how lanes diverge before it or on how they exit the loops
    /// around it.
    watchers: Lists,
    /// The pending nodes, one bit each.
    bits: Vec<u64>,
}

impl Pending {
    /// Makes all nodes pending. `branches` holds the uses that each branch depends on.
    pub(super) fn new(values: &Values<'_>, branches: &[&[Use]]) -> Pending {
        let of_values =
            values.ids().flat_map(|value| values.uses(value).iter().map(move |used| (used, value)));
        let nodes = branches.iter().zip(values.len() as Node..);
        let of_branches = nodes.flat_map(|(branch, node)| branch.iter().map(move |used| (used, node)));
        let (mut users, mut watchers) = (Vec::new(), Vec::new());
        for (used, node) in of_values.chain(of_branches) {
            users.push((used.value, node));
            let (begins, original) = (values[used.value].block, values.original_block(used.value));
            let original = original.filter(|_| original != begins);
            watchers.extend(begins.into_iter().chain(original).map(|block| (block.0, node)));
        }
        for value in values.ids() {
            if let Origin::Merged { block, .. } = values[value].origin {
                watchers.push((block.0, value));
            }
        }
        let nodes = values.len() + branches.len();
        let mut pending = Pending {
            values: values.len() as u32,
            nodes: nodes as u32,
            users: Lists::new(values.len(), &users),
            watchers: Lists::new(values.cfg().blocks().len(), &watchers),
            bits: vec![0; nodes.div_ceil(64)],
        };
        pending.add_all();
        pending
    }

    pub(super) fn add_all(&mut self) {
        (0..self.nodes).for_each(|node| set(&mut self.bits, node));
    }

    pub(super) fn add_users(&mut self, value: ValueId) {
        self.users.of(value).iter().for_each(|&node| set(&mut self.bits, node));
    }

    pub(super) fn add_watchers(&mut self, block: BlockId) {
        self.watchers.of(block.0).iter().for_each(|&node| set(&mut self.bits, node));
    }

    /// Removes and returns the last pending value before `end`.
    pub(super) fn take_value_before(&mut self, end: ValueId) -> Option<ValueId> {
        let mut index = (end / 64) as usize;
        let below = (1u64 << (end % 64)) - 1;
        let mut word = self.bits.get(index).map_or(0, |word| word & below);
        while word == 0 {
            index = index.checked_sub(1)?;
            word = self.bits[index];
        }
        let bit = 63 - word.leading_zeros();
        self.bits[index] &= !(1 << bit);
        Some(index as u32 * 64 + bit)
    }

    /// Removes and returns the first pending branch from `start` on.
    pub(super) fn take_branch_from(&mut self, start: usize) -> Option<usize> {
        let start = self.values as usize + start;
        let mut index = start / 64;
        let mut word = self.bits.get(index)? & (u64::MAX << (start % 64));
        while word == 0 {
            index += 1;
            word = *self.bits.get(index)?;
        }
        let bit = word.trailing_zeros();
        self.bits[index] &= !(1 << bit);
        Some(index * 64 + bit as usize - self.values as usize)
    }
}

fn set(bits: &mut [u64], node: Node) {
    bits[node as usize / 64] |= 1 << (node % 64);
}
