//! Positions in an item from which a scan can resume, so that an edit of a long item scans little more than
//! the edited text.
//!
//! At a checkpoint the scanner's whole state is the brace depth: where the item ends and what it declares
//! follow from the depth and the text after the checkpoint. So the scan of an edited item starts at the last
//! checkpoint before the edit, and ends at the first old checkpoint after it that it reaches at the same
//! depth.

use std::ops::Range;

/// A position in an item from which a scan can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The distance from the start of the item in bytes.
    pub offset: u32,
    /// The number of open braces.
    pub depth: u32,
}

/// The minimum distance between two checkpoints.
const DISTANCE: u32 = 1024;

/// An item that is scanned again after an edit inside it.
pub struct EditedItem<'t> {
    /// The item's text after the edit.
    pub text: &'t str,
    /// The replaced range, in the text before the edit.
    pub range: Range<usize>,
    /// The length of the text before the edit.
    pub old_length: usize,
    /// The checkpoints of the text before the edit.
    pub checkpoints: &'t [Checkpoint],
}

impl<'t> EditedItem<'t> {
    /// The last checkpoint before the edit.
    pub(crate) fn resume(&self) -> Option<Checkpoint> {
        self.before().last().copied()
    }

    fn before(&self) -> &'t [Checkpoint] {
        let count = self.checkpoints.partition_point(|place| place.offset as usize <= self.range.start);
        &self.checkpoints[..count]
    }

    /// The checkpoints after the edit, at their new offsets.
    fn after(&self) -> impl Iterator<Item = Checkpoint> + use<'t> {
        let count = self.checkpoints.partition_point(|place| (place.offset as usize) < self.range.end);
        let delta = (self.text.len() as u32).wrapping_sub(self.old_length as u32);
        let moved =
            move |place: &Checkpoint| Checkpoint { offset: place.offset.wrapping_add(delta), ..*place };
        self.checkpoints[count..].iter().map(moved)
    }
}

/// The checkpoints that a scan records.
#[derive(Default)]
pub(crate) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// The checkpoints after the edit that the scan may still reach, the last one first.
    old: Vec<Checkpoint>,
    rest_is_same: bool,
}

impl Checkpoints {
    pub(crate) fn of_edited(item: &EditedItem<'_>) -> Checkpoints {
        let mut old: Vec<Checkpoint> = item.after().collect();
        old.reverse();
        Checkpoints { kept: item.before().to_vec(), old, rest_is_same: false }
    }

    /// Records that the scan has reached `place`, relative to the start of the item. Returns whether the scan
    /// can end there.
    pub(crate) fn reach(&mut self, place: Checkpoint) -> bool {
        while let Some(old) = self.old.pop_if(|old| old.offset <= place.offset) {
            if old.offset == place.offset {
                // If the depth differs here, it differs for the rest of the item.
                self.rest_is_same = old == place;
                self.kept.push(place);
                return true;
            }
        }
        if place.offset >= self.kept.last().map_or(0, |last| last.offset) + DISTANCE {
            self.kept.push(place);
        }
        false
    }

    /// Whether the rest of an edited item is unchanged.
    pub(crate) fn rest_is_same(&self) -> bool {
        self.rest_is_same
    }

    /// The checkpoints of the scanned item. Old ones that the scan skipped (they may now be inside a comment)
    /// are dropped.
    pub(crate) fn finish(mut self) -> Vec<Checkpoint> {
        if self.rest_is_same {
            self.old.reverse();
            self.kept.append(&mut self.old);
        }
        self.kept
    }
}
