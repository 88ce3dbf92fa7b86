//! A document as its items: a list whose concatenation is the text, kept up to date edit by edit.
//!
//! Invariants: items partition the text. Where an item ends follows from its own text and the few bytes after
//! it that the scanner examined. So an edit rescans from the first item whose scan examined the edited text
//! until a boundary coincides with an old one, and every other item keeps its allocation.

mod groups;
mod item;

use std::ops::{Index, Range};

use memchr::memmem;
use rowan::{TextRange, TextSize};

use self::groups::Groups;
pub use self::groups::ItemGroup;
pub use self::item::Item;
use crate::language::Language;
use crate::scan::{CommentEnds, Scan, Tail};

/// The effect of an edit on the list: items `first .. first + removed` became `first .. first + inserted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditSummary {
    pub first: usize,
    pub removed: usize,
    pub inserted: usize,
    pub relexed_bytes: usize,
}

#[derive(Debug, Clone)]
pub struct ItemList {
    scan: Scan,
    items: Groups,
    /// Where each item starts, followed by the end of the text.
    starts: Vec<u32>,
}

impl ItemList {
    pub fn new(language: Language, text: &str) -> ItemList {
        let scan = language.scan;
        let known = CommentEnds::default();
        let tail = Tail { known: &known, comment_ends_later: &|| false };
        let mut items = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let scanned = scan(text, start, &tail);
            let end = scanned.end;
            items.push(Item::new(text, start, scanned));
            start = end;
        }
        let mut list = ItemList { scan, items: Groups::new(items), starts: Vec::new() };
        list.sum_up(0);
        list
    }

    pub fn iter(&self) -> impl Iterator<Item = &Item> + Clone {
        self.items.iter()
    }

    pub fn iter_from(&self, index: usize) -> impl Iterator<Item = &Item> + Clone {
        self.items.iter_from(index)
    }

    pub fn get(&self, index: usize) -> Option<&Item> {
        self.items.get(index)
    }

    /// The items in groups. An edit leaves the groups around it unchanged.
    pub fn groups(&self) -> &[ItemGroup] {
        self.items.groups()
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where item `index` starts. For `len()` it is the end of the text.
    pub fn start_of(&self, index: usize) -> TextSize {
        TextSize::new(self.starts[index])
    }

    pub fn range_of(&self, index: usize) -> TextRange {
        TextRange::new(self.start_of(index), self.start_of(index + 1))
    }

    pub fn text_len(&self) -> TextSize {
        self.start_of(self.len())
    }

    /// The index of the item that holds `offset`. A boundary belongs to the item that starts there, the end
    /// of the text to the last item. `None` in an empty text.
    pub fn item_at(&self, offset: TextSize) -> Option<usize> {
        let after = self.starts.partition_point(|start| *start <= u32::from(offset));
        let last = self.len().checked_sub(1)?;
        Some(after.saturating_sub(1).min(last))
    }

    /// The items that a range overlaps or touches, each with the part of the range inside it.
    pub fn parts_of(&self, range: TextRange) -> impl Iterator<Item = (usize, TextRange)> {
        let first = self.item_at(range.start()).unwrap_or(self.len());
        (first..self.len()).map_while(move |index| Some((index, range.intersect(self.range_of(index))?)))
    }

    pub fn text(&self) -> String {
        self.iter().map(|item| &*item.text).collect()
    }

    /// Replaces `range` by `insert`. An offset outside the text or inside a character is moved back to the
    /// nearest valid offset.
    pub fn edit(&mut self, range: TextRange, insert: &str) -> EditSummary {
        let range = self.snap(range.start())..self.snap(range.end());
        let first = self.first_affected(&range, insert);
        let stop = self.starts[..self.len()].partition_point(|start| (*start as usize) < range.end);
        let mut patch = Patch::new(self, first..stop, range, insert);
        let items = patch.rescan(self);
        let summary = EditSummary {
            first,
            removed: patch.next - first,
            inserted: items.len(),
            relexed_bytes: patch.scanned,
        };
        self.items.replace(first, patch.next - first, items);
        self.sum_up(first);
        summary
    }

    fn sum_up(&mut self, from: usize) {
        self.starts.truncate(from + 1);
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let mut end = self.starts[from];
        self.starts.extend(self.items.iter_from(from).map(|item| {
            end += item.text.len() as u32;
            end
        }));
    }

    fn snap(&self, offset: TextSize) -> usize {
        let offset = offset.min(self.text_len());
        let Some(index) = self.item_at(offset) else { return 0 };
        let start = self.starts[index] as usize;
        let mut inside = usize::from(offset) - start;
        while !self[index].text.is_char_boundary(inside) {
            inside -= 1;
        }
        start + inside
    }

    /// The first item whose scan saw a byte that the edit moves or replaces.
    fn first_affected(&self, range: &Range<usize>, insert: &str) -> usize {
        let ends_comment = self.may_end_comment(range, insert);
        let sees = |(item, end): (&Item, &u32)| {
            *end as usize + item.lookahead as usize > range.start || ends_comment && item.open_comment
        };
        self.iter().zip(&self.starts[1..]).position(sees).unwrap_or(self.len())
    }

    /// Whether the edit may have created a `*/`.
    fn may_end_comment(&self, range: &Range<usize>, insert: &str) -> bool {
        let byte_at = |offset: usize| {
            let index = self.item_at(TextSize::new(offset as u32))?;
            let inside = offset - self.starts[index] as usize;
            self[index].text.as_bytes().get(inside).copied()
        };
        let before = range.start.checked_sub(1).and_then(byte_at);
        let after = byte_at(range.end);
        let around: Vec<u8> = before.into_iter().chain(insert.bytes()).chain(after).collect();
        memmem::find(&around, b"*/").is_some()
    }

    /// Whether there is a `*/` in the items from `from` on, or across the boundary between `before` and them.
    fn comment_ends_after(&self, before: &str, from: usize) -> bool {
        let mut after_star = before.ends_with('*');
        self.iter_from(from).any(|item| {
            let ends = after_star && item.text.starts_with('/') || item.has_comment_end();
            after_star = item.text.ends_with('*');
            ends
        })
    }
}

impl Index<usize> for ItemList {
    type Output = Item;

    fn index(&self, index: usize) -> &Item {
        self.get(index).expect("the index of an item")
    }
}

/// The text that is scanned again.
struct Patch {
    text: String,
    /// The first old item that is not in `text`.
    next: usize,
    /// Where the old items after the edit end in `text`: (offset, next old item).
    boundaries: Vec<(usize, usize)>,
    scanned: usize,
    known: CommentEnds,
}

impl Patch {
    /// The text of the old items `touched` with the edit applied.
    fn new(list: &ItemList, touched: Range<usize>, range: Range<usize>, insert: &str) -> Patch {
        let start = list.starts[touched.start] as usize;
        let old: String = list.iter_from(touched.start).take(touched.len()).map(|item| &*item.text).collect();
        let mut text = String::with_capacity(old.len() + insert.len());
        text.push_str(&old[..range.start - start]);
        text.push_str(insert);
        text.push_str(&old[range.end - start..]);
        let boundaries = vec![(text.len(), touched.end)];
        Patch { text, next: touched.end, boundaries, scanned: 0, known: CommentEnds::default() }
    }

    /// Scans until a boundary coincides with an old one; `next` and `text` then end there.
    fn rescan(&mut self, list: &ItemList) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut start = 0;
        loop {
            if let Some((_, next)) = self.boundaries.iter().find(|(place, _)| *place == start) {
                self.next = *next;
                return items;
            }
            if start == self.text.len() {
                self.extend(list);
                continue;
            }
            let comment_ends_later = || list.comment_ends_after(&self.text, self.next);
            let tail = Tail { known: &self.known, comment_ends_later: &comment_ends_later };
            let scanned = (list.scan)(&self.text, start, &tail);
            self.scanned += scanned.examined.min(self.text.len()) - start;
            if scanned.examined > self.text.len() && self.next < list.len() {
                self.extend(list);
                continue;
            }
            let end = scanned.end;
            items.push(Item::new(&self.text, start, scanned));
            start = end;
        }
    }

    /// Doubles the text by appending the old items that follow.
    fn extend(&mut self, list: &ItemList) {
        self.known = CommentEnds::default();
        let goal = self.text.len() * 2;
        while self.next < list.len() && self.text.len() <= goal {
            self.text.push_str(&list[self.next].text);
            self.next += 1;
            self.boundaries.push((self.text.len(), self.next));
        }
    }
}
