//! Places in an item from which a scan can go on, so that an edit of a long item scans little more than the edited text.
//!
//! At such a place, the state of a scanner is one number, the depth of open braces, and what the item is from there on follows from
//! that number and the text after the place. So the scan of an edited item starts at the last place before the edit, and ends at the
//! first one after it that it reaches at the same depth.

use std::ops::Range;

/// A place in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Where it is, from the start of the item.
    pub offset: u32,
    /// The number of open braces.
    pub depth: u32,
}

/// The distance at which places are kept.
const DISTANCE: u32 = 1024;

/// The item that is scanned again after an edit inside it.
pub struct EditedItem<'t> {
    /// Its text after the edit.
    pub text: &'t str,
    /// The replaced range of the text before.
    pub range: Range<usize>,
    /// The length of the text before.
    pub old_length: usize,
    /// Those of the text before.
    pub checkpoints: &'t [Checkpoint],
}

impl<'t> EditedItem<'t> {
    /// The last place before the edit.
    pub(crate) fn resume(&self) -> Option<Checkpoint> {
        self.before().last().copied()
    }

    fn before(&self) -> &'t [Checkpoint] {
        let count = self.checkpoints.partition_point(|place| place.offset as usize <= self.range.start);
        &self.checkpoints[..count]
    }

    /// Those after the edit, where they are now.
    fn after(&self) -> impl Iterator<Item = Checkpoint> + use<'t> {
        let count = self.checkpoints.partition_point(|place| (place.offset as usize) < self.range.end);
        let delta = (self.text.len() as u32).wrapping_sub(self.old_length as u32);
        let moved =
            move |place: &Checkpoint| Checkpoint { offset: place.offset.wrapping_add(delta), ..*place };
        self.checkpoints[count..].iter().map(moved)
    }
}

/// The places of a scan.
#[derive(Default)]
pub(crate) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// Those of the text before an edit that the scan may reach, the last one first.
    old: Vec<Checkpoint>,
    rest_is_same: bool,
}

impl Checkpoints {
    /// For the scan of an edited item.
    pub(crate) fn of_edited(item: &EditedItem<'_>) -> Checkpoints {
        let mut old: Vec<Checkpoint> = item.after().collect();
        old.reverse();
        Checkpoints { kept: item.before().to_vec(), old, rest_is_same: false }
    }

    /// The scan reaches a place, given from the start of the item; `true` if it can end there.
    pub(crate) fn reach(&mut self, place: Checkpoint) -> bool {
        while let Some(old) = self.old.pop_if(|old| old.offset <= place.offset) {
            if old.offset == place.offset {
                // At another depth, the depths never agree from here on.
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

    /// Whether the rest of an edited item is what it was.
    pub(crate) fn rest_is_same(&self) -> bool {
        self.rest_is_same
    }

    /// Those of the scanned item. Old places that the scan passed by, in a comment say, are none any more.
    pub(crate) fn finish(mut self) -> Vec<Checkpoint> {
        if self.rest_is_same {
            self.old.reverse();
            self.kept.append(&mut self.old);
        }
        self.kept
    }
}
