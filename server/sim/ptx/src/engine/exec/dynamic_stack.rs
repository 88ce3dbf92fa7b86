//! Dynamic stack allocation (`alloca`): local memory above the static frame, lane by lane.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::local::MAX_LOCAL_BYTES;
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH, lanes};
use warplens_sim_warp::finding_kind::FindingKind;

use super::frame::Frame;
use super::warp::Warp;
use crate::program::{Function, Slot, Slots, StackAction, Width};

/// Minimum alignment of an allocation, in bytes.
const ALIGNMENT: u64 = 8;

impl Frame {
    /// The end of this call's local memory in the lane with the largest stack.
    pub(crate) fn top(&self, function: &Function) -> u32 {
        let end = self.local_base + function.frame.local_size;
        self.dynamic.as_ref().map_or(end, |tops| tops.iter().fold(end, |most, &top| most.max(top)))
    }
}

impl Warp {
    pub(crate) fn stack_action(
        &mut self,
        action: StackAction,
        s: &Slots,
        function: &Function,
        frame: Slot,
        mask: u32,
    ) -> Result {
        let slot = frame;
        let Some(frame) = &mut self.frames[frame as usize] else { return Ok(()) };
        let end = frame.local_base + function.frame.local_size;
        let tops: &mut PerLane<u32> = frame.dynamic.get_or_insert_with(|| Box::new([end; WIDTH]));
        let r = &mut frame.registers;
        let source = |r: &Registers, width: Width, lane: usize| match width {
            Width::W64 => r.doubles[s.a as usize][lane],
            Width::W32 => r.words[s.a as usize][lane].into(),
        };
        for lane in lanes(mask) {
            let top = &mut tops[lane];
            match action {
                StackAction::Save(Width::W64) => r.doubles[s.d as usize][lane] = (*top).into(),
                StackAction::Save(Width::W32) => r.words[s.d as usize][lane] = *top,
                StackAction::Restore(width) => {
                    let wanted = source(r, width, lane);
                    if wanted < end.into() || wanted > (*top).into() {
                        let message = format!(
                            "`stacksave` did not return {wanted:#x} in this call\nrestore a value saved in the \
                             same call"
                        );
                        return Err(Fault::new(FindingKind::StackPointer, message, 1 << lane));
                    }
                    *top = wanted as u32;
                }
                StackAction::Allocate(width) => {
                    let size = source(r, width, lane);
                    let start = u64::from(*top).next_multiple_of(ALIGNMENT.max(s.b.into()));
                    let after = start.saturating_add(size).max(start + 1);
                    if after > MAX_LOCAL_BYTES.into() {
                        let message = format!(
                            "`alloca` of {size} bytes exceeds {MAX_LOCAL_BYTES} bytes per thread\nallocate less"
                        );
                        return Err(Fault::new(FindingKind::StackOverflow, message, 1 << lane));
                    }
                    *top = after as u32;
                    match width {
                        Width::W64 => r.doubles[s.d as usize][lane] = start,
                        Width::W32 => r.words[s.d as usize][lane] = start as u32,
                    }
                    self.local.grow(after as u32);
                }
            }
        }
        let top = tops.iter().fold(end, |most, &top| most.max(top));
        self.local.frames.allocated(slot, end, top);
        Ok(())
    }
}
