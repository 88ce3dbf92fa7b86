//! Items in groups: a list of lists. An edit replaces a group or two, and every other group keeps its
//! allocation and its number, so results computed per group stay valid.

use std::sync::Arc;

use super::item::Item;

/// Groups are filled up to this number of items and this total cost.
const FILL: (usize, usize) = (64, 1 << 14);
/// A group of two or more items is split above this number of items or this total cost.
const MOST: (usize, usize) = (2 * FILL.0, 2 * FILL.1);

/// A non-empty run of consecutive items.
#[derive(Debug, Clone)]
pub struct ItemGroup {
    /// The number of the group. It survives edits and is unique in the list.
    pub id: u32,
    pub items: Arc<[Item]>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    groups: Vec<ItemGroup>,
    /// The index of the first item of each group, followed by the number of items.
    firsts: Vec<u32>,
    next_id: u32,
}

impl Groups {
    pub(super) fn new(items: Vec<Item>) -> Groups {
        let mut groups = Groups::default();
        groups.replace(0, 0, items);
        groups
    }

    pub(super) fn groups(&self) -> &[ItemGroup] {
        &self.groups
    }

    pub(super) fn len(&self) -> usize {
        self.firsts.last().map_or(0, |last| *last as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Item> + Clone {
        self.groups.iter().flat_map(|group| group.items.iter())
    }

    pub(super) fn iter_from(&self, index: usize) -> impl Iterator<Item = &Item> + Clone {
        let group = self.group_of(index);
        let skipped = index - self.firsts.get(group).map_or(0, |first| *first as usize);
        self.groups.get(group..).unwrap_or_default().iter().flat_map(|group| group.items.iter()).skip(skipped)
    }

    pub(super) fn get(&self, index: usize) -> Option<&Item> {
        let group = self.group_of(index);
        self.groups.get(group)?.items.get(index - self.firsts[group] as usize)
    }

    /// Replaces `removed` items from `first` on. All others stay in their groups.
    pub(super) fn replace(&mut self, first: usize, removed: usize, inserted: Vec<Item>) {
        let Some(last) = self.groups.len().checked_sub(1) else {
            self.groups = self.cut(inserted, None);
            return self.count(0);
        };
        let from = self.group_of(first).min(last);
        let to = if removed == 0 { from } else { self.group_of(first + removed - 1) };
        let before = &self.groups[from].items[..first - self.firsts[from] as usize];
        let after = &self.groups[to].items[first + removed - self.firsts[to] as usize..];
        let mut items = [before, &inserted].concat();
        // What is left of a different group keeps its number.
        let rest = if to == from {
            items.extend_from_slice(after);
            None
        } else {
            (!after.is_empty()).then(|| ItemGroup { id: self.groups[to].id, items: after.into() })
        };
        let mut groups = self.cut(items, Some(self.groups[from].id));
        groups.extend(rest);
        self.groups.splice(from..=to, groups);
        self.count(from);
    }

    /// Cuts items into groups, the first of which keeps the number `id`. Items within the limit `MOST` all
    /// stay in that group.
    fn cut(&mut self, items: Vec<Item>, mut id: Option<u32>) -> Vec<ItemGroup> {
        let fits = |count: usize, bytes: usize, limit: (usize, usize)| count <= limit.0 && bytes <= limit.1;
        let bytes_of = |items: &[Item]| items.iter().map(|item| item.text.len()).sum();
        let mut groups = Vec::new();
        let mut rest = items.as_slice();
        while !rest.is_empty() {
            let mut count = 1;
            if id.is_some() && groups.is_empty() && fits(rest.len(), bytes_of(rest), MOST) {
                count = rest.len();
            }
            let mut bytes = bytes_of(&rest[..count]);
            while let Some(next) = rest.get(count)
                && fits(count + 1, bytes + next.text.len(), FILL)
            {
                bytes += next.text.len();
                count += 1;
            }
            let (group, others) = rest.split_at(count);
            groups.push(ItemGroup { id: id.take().unwrap_or_else(|| self.new_id()), items: group.into() });
            rest = others;
        }
        groups
    }

    fn new_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Recomputes `firsts` from `group` on.
    fn count(&mut self, group: usize) {
        self.firsts.truncate(group + 1);
        if self.firsts.is_empty() {
            self.firsts.push(0);
        }
        let mut first = self.firsts[group];
        self.firsts.extend(self.groups[group..].iter().map(|group| {
            first += group.items.len() as u32;
            first
        }));
    }

    /// The group that holds an item. For the number of items, it is the number of groups.
    fn group_of(&self, index: usize) -> usize {
        self.firsts.partition_point(|first| *first as usize <= index).saturating_sub(1)
    }
}
