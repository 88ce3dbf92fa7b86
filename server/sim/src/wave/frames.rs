//! The divergence stack of a wave: who waits where.
//!
//! Every frame remembers masks of lanes that wait. A lane that leaves a construct (it broke, continued, returned or halted) is
//! taken out of every mask between it and the place it goes to, so a frame that is popped gives back exactly the lanes that go on.
//!
//! `call` pushes a frame too: lanes that `return` under divergence wait there for the rest of their group, so a function always
//! comes back once, with all lanes that did not halt in it. Where no lanes part this is the return stack of the specification.

use crate::trace::{Mask, StatementId};
use crate::values::{StackEntry, WaitingLanes};

/// Open `if`s and `loop`s that the machine has room for.
pub(crate) const MAX_NESTING: usize = 32;
/// Calls inside of each other that the machine has room for.
pub(crate) const MAX_CALLS: usize = 8;

/// One entry of the stack.
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
        /// Lanes that go on after `endif`.
        all: Mask,
    },
    /// From `loop` to `endloop`.
    Loop {
        /// The `loop`.
        open: u32,
        end: u32,
        /// Lanes that will be at the top of the next trip.
        looping: Mask,
        /// Lanes that go on after `endloop`.
        all: Mask,
    },
    /// From `call` to `return`.
    Call {
        /// Where the lanes go on.
        back: u32,
        all: Mask,
    },
}

impl Frame {
    /// Takes lanes out of every mask.
    fn remove(&mut self, lanes: Mask) {
        match self {
            Frame::If { other, all, .. } => (*other, *all) = (*other & !lanes, *all & !lanes),
            Frame::Loop { looping, all, .. } => (*looping, *all) = (*looping & !lanes, *all & !lanes),
            Frame::Call { all, .. } => *all &= !lanes,
        }
    }

    /// Lanes that go on together when it is closed.
    fn meet(&self) -> Mask {
        match self {
            Frame::If { all, .. } | Frame::Loop { all, .. } | Frame::Call { all, .. } => *all,
        }
    }
}

/// The stack, innermost frame last.
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

    /// Frames that are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Open `if`s and `loop`s.
    pub(crate) fn nesting(&self) -> usize {
        self.frames.len() - self.calls
    }

    /// Calls that have not returned.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    /// The `loop` that was opened last.
    pub(crate) fn innermost_loop(&self) -> Option<u32> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Loop { open, .. } => Some(*open),
            _ => None,
        })
    }

    /// `break` (`again` is false) or `continue`: lanes leave for the end or the top of the innermost loop of this function.
    /// Answers which frame that is, from the outermost, if there is one.
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

    /// `return`: lanes leave for the caller. Answers which frame that is, from the outermost, if there is one.
    pub(crate) fn leave_call(&mut self, lanes: Mask) -> Option<usize> {
        for (at, frame) in self.frames.iter_mut().enumerate().rev() {
            if matches!(frame, Frame::Call { .. }) {
                return Some(at);
            }
            frame.remove(lanes);
        }
        None
    }

    /// `halt`: lanes leave for good.
    pub(crate) fn leave_all(&mut self, lanes: Mask) {
        self.frames.iter_mut().for_each(|frame| frame.remove(lanes));
    }
    /// The stack as people see it, while `active` lanes run.
    pub(crate) fn entries(&self, active: Mask) -> Box<[StackEntry]> {
        // The lanes of a frame that do not wait in it are those of the next one.
        let inside = self.frames.iter().skip(1).map(Frame::meet).chain([active]);
        let entry = |(frame, inside): (&Frame, Mask)| {
            let (opened, waiting) = match *frame {
                Frame::If { open, other, .. } => (open, WaitingLanes::Other(other)),
                Frame::Loop { open, looping, all, .. } => {
                    (open, WaitingLanes::Loop { broken: all & !looping, continued: looping & !inside })
                }
                Frame::Call { back, all } => (back - 1, WaitingLanes::Call(all & !inside)),
            };
            StackEntry { opened: StatementId(opened), reconverging: frame.meet(), waiting }
        };
        self.frames.iter().zip(inside).map(entry).collect()
    }
}
