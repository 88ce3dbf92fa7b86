//! The divergence stack of a wave.
//!
//! Every frame holds masks of waiting lanes. A lane that leaves a construct (by `break`, `continue`, `return`
//! or `halt`) is removed from every mask up to its destination, so the mask of a popped frame contains
//! exactly the lanes that continue.
//!
//! `call` also pushes a frame: lanes that `return` under divergence wait there for the other lanes of their
//! group, so a function returns once, with all lanes that did not halt in it. Without divergence this is the
//! return stack of the specification.

use warplens_sim_warp::trace::{Mask, StatementId};
use warplens_sim_warp::values::{StackEntry, WaitingLanes};

/// The maximum number of open `if`s and `loop`s.
pub(crate) const MAX_NESTING: usize = 32;
/// The maximum call depth.
pub(crate) const MAX_CALLS: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// From `if` to `endif`.
    If {
        /// The `if`.
        open: u32,
        /// The `else`, and the lanes that wait for it.
        otherwise: Option<u32>,
        other: Mask,
        end: u32,
        /// Lanes that continue after `endif`.
        all: Mask,
    },
    /// From `loop` to `endloop`.
    Loop {
        /// The `loop`.
        open: u32,
        end: u32,
        /// Lanes that will execute the next iteration.
        looping: Mask,
        /// Lanes that continue after `endloop`.
        all: Mask,
    },
    /// From `call` to `return`.
    Call {
        /// Where the lanes continue.
        back: u32,
        all: Mask,
    },
}

impl Frame {
    fn remove(&mut self, lanes: Mask) {
        match self {
            Frame::If { other, all, .. } => (*other, *all) = (*other & !lanes, *all & !lanes),
            Frame::Loop { looping, all, .. } => (*looping, *all) = (*looping & !lanes, *all & !lanes),
            Frame::Call { all, .. } => *all &= !lanes,
        }
    }

    /// Lanes that reconverge when the frame is closed.
    fn reconverging(&self) -> Mask {
        match self {
            Frame::If { all, .. } | Frame::Loop { all, .. } | Frame::Call { all, .. } => *all,
        }
    }
}

/// The innermost frame is last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    calls: usize,
}

impl Frames {
    pub(crate) fn push(&mut self, frame: Frame) {
        self.calls += usize::from(matches!(frame, Frame::Call { .. }));
        self.frames.push(frame);
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop();
        self.calls -= usize::from(matches!(frame, Some(Frame::Call { .. })));
        frame
    }

    pub(crate) fn top(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// The number of open frames.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The number of open `if`s and `loop`s.
    pub(crate) fn nesting(&self) -> usize {
        self.frames.len() - self.calls
    }

    /// The number of calls that have not returned.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    pub(crate) fn innermost_loop(&self) -> Option<u32> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Loop { open, .. } => Some(*open),
            _ => None,
        })
    }

    /// The first and the last statement of the outermost open `loop`.
    pub(crate) fn outermost_loop(&self) -> Option<(u32, u32)> {
        self.frames.iter().find_map(|frame| match frame {
            Frame::Loop { open, end, .. } => Some((*open, *end)),
            _ => None,
        })
    }

    /// `break` (`again` is false) or `continue`: moves lanes to the end or the top of the innermost loop of
    /// this function. Returns the index of the loop's frame, if there is one.
    pub(crate) fn leave_loop(&mut self, lanes: Mask, again: bool) -> Option<usize> {
        for (at, frame) in self.frames.iter_mut().enumerate().rev() {
            match frame {
                Frame::If { .. } => frame.remove(lanes),
                Frame::Loop { looping, .. } => {
                    if !again {
                        *looping &= !lanes;
                    }
                    return Some(at);
                }
                Frame::Call { .. } => return None,
            }
        }
        None
    }

    /// `return`: lanes return to the caller. Returns the index of the call's frame, if there is one.
    pub(crate) fn leave_call(&mut self, lanes: Mask) -> Option<usize> {
        for (at, frame) in self.frames.iter_mut().enumerate().rev() {
            if matches!(frame, Frame::Call { .. }) {
                return Some(at);
            }
            frame.remove(lanes);
        }
        None
    }

    /// `halt`: lanes exit.
    pub(crate) fn leave_all(&mut self, lanes: Mask) {
        self.frames.iter_mut().for_each(|frame| frame.remove(lanes));
    }

    /// The stack entries to display while the `active` lanes run.
    pub(crate) fn entries(&self, active: Mask) -> Box<[StackEntry]> {
        // The lanes of a frame that do not wait in it are in the next frame.
        let inside = self.frames.iter().skip(1).map(Frame::reconverging).chain([active]);
        let entry = |(frame, inside): (&Frame, Mask)| {
            let (opened, waiting) = match *frame {
                Frame::If { open, other, .. } => (open, WaitingLanes::Other(other)),
                Frame::Loop { open, looping, all, .. } => {
                    (open, WaitingLanes::Loop { broken: all & !looping, continued: looping & !inside })
                }
                Frame::Call { back, all } => (back - 1, WaitingLanes::Call(all & !inside)),
            };
            StackEntry { opened: StatementId(opened), reconverging: frame.reconverging(), waiting }
        };
        self.frames.iter().zip(inside).map(entry).collect()
    }
}
