//! The calls whose variables are in local memory. Gives the range around an address that the running call may access:
//! its own variables, those of its callers, and those of the module.

use warplens_sim_warp::objects::Object;

use crate::grown::grown;
use crate::objects::{FrameObjects, ProgramObjects};
use crate::slot::Slot;

#[derive(Clone, Debug, Default)]
pub struct LocalFrames {
    calls: Vec<LocalFrame>,
    running: Slot,
}

#[derive(Clone, Copy, Debug, Default)]
struct LocalFrame {
    function: u32,
    start: u32,
    /// The dynamic stack, in the lane whose stack is largest.
    dynamic: (u32, u32),
    caller: Option<Slot>,
}

impl LocalFrames {
    /// A call gets local memory starting at `start`.
    pub fn called(&mut self, slot: Slot, function: u32, start: u32, caller: Slot) {
        *grown(&mut self.calls, slot) = LocalFrame { function, start, dynamic: (0, 0), caller: Some(caller) };
    }

    pub fn allocated(&mut self, slot: Slot, start: u32, end: u32) {
        grown(&mut self.calls, slot).dynamic = (start, end);
    }

    #[inline(always)]
    pub fn run(&mut self, slot: Slot) {
        self.running = slot;
    }

    fn chain(&self) -> impl Iterator<Item = LocalFrame> {
        let at = |slot: Slot| self.calls.get(slot as usize).copied().unwrap_or_default();
        std::iter::successors(Some(at(self.running)), move |frame| frame.caller.map(at))
    }

    /// The range around an address that the running call may access.
    pub(super) fn range(&self, address: u64, objects: &ProgramObjects) -> Option<(u64, u64)> {
        let address = u32::try_from(address).ok()?;
        let frame = self.chain().find(|frame| frame.start <= address)?;
        let of = |objects: &FrameObjects, start: u32| {
            let (from, to) = objects.range(address - start)?;
            Some((u64::from(start) + u64::from(from), u64::from(start) + u64::from(to)))
        };
        let own = objects.frames.get(frame.function as usize).and_then(|objects| of(objects, frame.start));
        let (from, to) = frame.dynamic;
        own.or_else(|| (from..to).contains(&address).then_some((from.into(), to.into())))
            .or_else(|| of(&objects.local, 0))
    }

    /// The variables that the running call may access, its own variables first.
    pub(super) fn objects<'o>(&self, objects: &'o ProgramObjects) -> Vec<(u64, &'o Object)> {
        let of = |frame: LocalFrame| {
            let objects = objects.frames.get(frame.function as usize).map_or(&[][..], |frame| &frame.objects);
            objects.iter().map(move |object| (u64::from(frame.start), object))
        };
        let module = objects.local.objects.iter().map(|object| (0, object));
        self.chain().flat_map(of).chain(module).collect()
    }
}
