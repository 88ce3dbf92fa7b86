//! Detects waiting waves: those that repeat a loop until memory changes, and those that poll memory in a loop
//! with a time-out.

use warplens_sim_warp::spin;
use warplens_sim_warp::trace::Mask;

use super::decisive::DecisiveRegisters;
use super::frames::Frames;
use super::lanes::Rows;
use super::op::{PREDICATES, Row};
use super::program::Program;

/// The program counter and the active lanes at the top of an iteration, and the predicates.
pub(crate) type Position = (u32, Mask, [Mask; PREDICATES]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spin {
    Continues,
    /// The wave repeats the loop until memory changes.
    Repeats,
    /// The wave polls memory, and may stop polling by itself.
    Polls,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct SpinDetector<const W: usize> {
    detector: spin::SpinDetector<(Position, Frames, Rows<W>), 256, 1>,
    /// The registers that decide what the outermost open loop does.
    decisive: Option<Box<DecisiveRegisters>>,
    /// The index of the decisive register that differed last. A comparison starts with it and nearly always
    /// ends there.
    hint: usize,
}

impl<const W: usize> SpinDetector<W> {
    /// Examines the wave at the top of an iteration. `changes` counts the stores that changed memory.
    #[inline(always)]
    pub(crate) fn look(
        &mut self,
        changes: u64,
        position: Position,
        frames: &Frames,
        rows: &Rows<W>,
        program: &Program,
    ) -> Spin {
        if !self.detector.is_due(changes) {
            return Spin::Continues;
        }
        self.compare(position, frames, rows, program)
    }

    #[inline(never)]
    fn compare(&mut self, position: Position, frames: &Frames, rows: &Rows<W>, program: &Program) -> Spin {
        let region = frames.outermost_loop();
        self.decisive.take_if(|known| known.region != region);
        let decisive = self.decisive.get_or_insert_with(|| Box::new(DecisiveRegisters::new(program, region)));
        let hint = &mut self.hint;
        let is_same = |(other, other_frames, other_rows): &(Position, Frames, Rows<W>)| {
            let differs = |register: u8| {
                let row = Row::from(register);
                other_rows.get(row) != rows.get(row)
            };
            if decisive.general.get(*hint).is_some_and(|register| differs(*register)) {
                return false;
            }
            if (other.0, other.1) != (position.0, position.1) {
                return false;
            }
            let predicates = decisive.predicates.iter().zip(other.2.iter().zip(&position.2));
            if predicates.into_iter().any(|(decides, (other, now))| *decides && other != now) {
                return false;
            }
            match decisive.general.iter().position(|register| differs(*register)) {
                Some(register) => {
                    *hint = register;
                    false
                }
                None => other_frames == frames,
            }
        };
        if self.detector.repeats(is_same, || (position, frames.clone(), rows.clone())) {
            return Spin::Repeats;
        }
        match decisive.polls && self.detector.yields() {
            true => Spin::Polls,
            false => Spin::Continues,
        }
    }
}
