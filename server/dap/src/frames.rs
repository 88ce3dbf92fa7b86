//! The frames of a warp: groups of lanes that are at one statement, and the calls that they are in.

use std::sync::Arc;

use warplens_sim_warp::{Cancelled, Control};

use crate::debuggee::{Debuggee, Frames, Role, ShownFrame, Visit};

/// How many frames of a warp are shown at most.
pub(crate) const MAX_FRAMES: usize = 128;

/// How many calls of a group are shown at most.
const MAX_CALLS: usize = 16;

impl Debuggee {
    /// The groups of a warp at the position, the one that runs next first. Each is followed by the calls that it is in.
    pub(crate) fn frames(&mut self, warp: u32, control: Control<'_>) -> Result<Frames, Cancelled> {
        let key = (self.position, warp);
        if let Some(frames) = self.shown_frames.get(&key) {
            return Ok(Arc::clone(frames));
        }
        let frames: Frames = self.find_frames(warp, control)?.into();
        self.shown_frames.retain(|(position, _), _| *position == self.position);
        self.shown_frames.insert(key, Arc::clone(&frames));
        Ok(frames)
    }

    fn find_frames(&mut self, warp: u32, control: Control<'_>) -> Result<Vec<ShownFrame>, Cancelled> {
        let mut frames = Vec::new();
        for group in self.groups(warp, control)? {
            let role = if group.runs { Role::Runs } else { Role::Waits };
            frames.push(ShownFrame { at: group.next, lanes: group.lanes, role });
            let (mut at, mut before) = (group.next, self.position);
            for _ in 0..MAX_CALLS {
                let Some(here) = at.filter(|here| self.function_of(here.statement) != 0) else { break };
                at = self.call_of(Visit { active: group.lanes, ..here }, before, control)?;
                if let Some(call) = at {
                    before = call.step;
                    frames.push(ShownFrame { at, lanes: group.lanes & call.executed, role: Role::Called });
                }
            }
        }
        frames.truncate(MAX_FRAMES);
        Ok(frames)
    }

    /// What the frame with this number of a warp shows: a visit.
    pub(crate) fn frame(
        &mut self,
        warp: u32,
        number: u64,
        control: Control<'_>,
    ) -> Result<Option<Visit>, Cancelled> {
        let frames = self.frames(warp, control)?;
        Ok(frames.get(number as usize).and_then(|frame| frame.at))
    }
}
