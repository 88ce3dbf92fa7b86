//! The meetings of a warp that are kept: each once, in the order of the statements, as many as there is room for.

use crate::trace::Meeting;

/// Meetings of one warp.
#[derive(Debug)]
pub(crate) struct MeetingList {
    found: Vec<Meeting>,
    /// Bytes that more of them may take.
    room: usize,
}

impl MeetingList {
    pub(crate) fn with_room(room: usize) -> Self {
        MeetingList { found: Vec::new(), room }
    }

    /// Keeps a meeting, unless it is known or there is no room.
    pub(crate) fn add(&mut self, meeting: Meeting) {
        let bytes = size_of::<Meeting>() + size_of_val(meeting.parts.as_slice());
        if let Err(at) = self.found.binary_search(&meeting)
            && let Some(room) = self.room.checked_sub(bytes)
        {
            self.room = room;
            self.found.insert(at, meeting);
        }
    }

    /// Takes what was kept.
    pub(crate) fn take(&mut self) -> Vec<Meeting> {
        std::mem::take(&mut self.found)
    }
}
