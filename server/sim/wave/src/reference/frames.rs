//! The divergence stack of the reference emulator. Its frames do not record which lanes have exited.

use warplens_sim_warp::trace::Mask;
use warplens_sim_warp::values::WaitingLanes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// From `if` to `endif`: its word, the lanes on entry, the lanes of the `else` path, and whether `else`
    /// was reached.
    If { open: u32, entry: Mask, other: Mask, else_reached: bool },
    /// From `loop` to `endloop`: the lanes on entry, the lanes that broke, and the first word of the body.
    Loop { entry: Mask, broken: Mask, start: u32 },
}

impl Frame {
    /// The word that opened the frame.
    pub(super) fn open(self) -> u32 {
        match self {
            Frame::If { open, .. } => open,
            Frame::Loop { start, .. } => start - 1,
        }
    }

    /// The lanes that are restored when the frame is closed.
    pub(super) fn entry(self) -> Mask {
        match self {
            Frame::If { entry, .. } | Frame::Loop { entry, .. } => entry,
        }
    }

    /// The lanes that wait in the frame, without the lanes `inside`.
    pub(super) fn waiting(self, inside: Mask) -> WaitingLanes {
        match self {
            Frame::If { other, else_reached, .. } => {
                WaitingLanes::Other(if else_reached { 0 } else { other })
            }
            Frame::Loop { entry, broken, .. } => {
                // Lanes that broke may be active inside again. This shows a bug of the emulator.
                WaitingLanes::Loop { broken, continued: entry & !broken & !inside }
            }
        }
    }
}
