//! The values and branches to reevaluate, because something that they depend on has changed. Skipping the
//! rest changes neither the result nor which cause is found first.

use super::cause::ValueId;
use super::values::{Origin, Use, Values};
use crate::cfg::BlockId;

/// The index of a value, or, after all values, of a branch.
type Node = u32;

pub(super) struct Pending {
    values: u32,
    /// The nodes that use each value.
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
        let count = values.len() + branches.len();
        let used = |visit: &mut dyn FnMut(u32, Node)| {
            for_each_use(values, branches, |used, node| visit(used.value, node));
        };
        let watched = |visit: &mut dyn FnMut(u32, Node)| {
            for_each_use(values, branches, |used, node| {
                let (begins, original) = (values.block(used.value), values.original_block(used.value));
                begins.into_iter().for_each(|block| visit(block.0, node));
                original.filter(|_| original != begins).into_iter().for_each(|block| visit(block.0, node));
            });
            for value in values.ids() {
                if let Origin::Merged { block, .. } = values.origin(value) {
                    visit(block.0, value);
                }
            }
        };
        let mut pending = Pending {
            values: values.len() as u32,
            users: Lists::new(values.len(), used),
            watchers: Lists::new(values.cfg().blocks().len(), watched),
            bits: vec![0; count.div_ceil(64)],
        };
        pending.add_all(count);
        pending
    }

    /// Adds the first `count` nodes.
    fn add_all(&mut self, count: usize) {
        (0..count as Node).for_each(|node| set(&mut self.bits, node));
    }

    pub(super) fn restart(&mut self, branches: usize) {
        self.add_all(self.values as usize + branches);
    }

    pub(super) fn add_users(&mut self, value: ValueId) {
        self.users.of(value).iter().for_each(|&node| set(&mut self.bits, node));
    }

    /// Adds the nodes that depend on a block.
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

fn for_each_use(values: &Values<'_>, branches: &[&[Use]], mut visit: impl FnMut(&Use, Node)) {
    for value in values.ids() {
        values.uses(value).iter().for_each(|used| visit(used, value));
    }
    for (branch, node) in branches.iter().zip(values.len() as Node..) {
        branch.iter().for_each(|used| visit(used, node));
    }
}

/// A list of nodes for each key, in two flat tables.
struct Lists {
    starts: Vec<u32>,
    nodes: Vec<Node>,
}

impl Lists {
    /// `for_each` passes each pair of a key and a node to its argument. It is called twice and must use the
    /// same order.
    fn new(keys: usize, for_each: impl Fn(&mut dyn FnMut(u32, Node))) -> Lists {
        let mut starts = vec![0u32; keys + 1];
        for_each(&mut |key, _| starts[key as usize + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; starts[keys] as usize];
        for_each(&mut |key, node| {
            let slot = &mut next[key as usize];
            nodes[*slot as usize] = node;
            *slot += 1;
        });
        Lists { starts, nodes }
    }

    fn of(&self, key: u32) -> &[Node] {
        let key = key as usize;
        &self.nodes[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
