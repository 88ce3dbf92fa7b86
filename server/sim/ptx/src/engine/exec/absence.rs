//! Lanes that a member mask names but that do not execute the instruction, and where they diverged.

use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::Related;

use super::warp_collectives::{exchange_of, members_of};
use crate::program::{Function, Op};

const EVENTS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct DivergenceLog {
    events: [Divergence; EVENTS],
    next: usize,
}

/// Lanes that diverged at a statement, by the side that they took.
#[derive(Clone, Copy, Debug, Default)]
struct Divergence {
    statement: u32,
    sides: [u32; 2],
}

impl DivergenceLog {
    #[inline(always)]
    pub(crate) fn record(&mut self, statement: u32, sides: [u32; 2]) {
        self.events[self.next] = Divergence { statement, sides };
        self.next = (self.next + 1) % EVENTS;
    }

    /// The recorded divergences that separated the `missing` lanes from the executing ones.
    pub(super) fn origins(&self, missing: u32, executed: u32) -> Vec<Related> {
        let mut open = missing;
        let mut origins = Vec::new();
        let newest_first = (1..=EVENTS).map(|back| self.events[(self.next + EVENTS - back) % EVENTS]);
        for Divergence { statement, sides: [a, b] } in newest_first {
            let here = match (a & executed != 0, b & executed != 0) {
                (true, false) => b & open,
                (false, true) => a & open,
                _ => 0,
            };
            open &= !here;
            if here != 0 {
                origins.push(Related::new(statement, format!("{} diverged here", LaneSet(here.into()))));
            }
        }
        origins
    }
}

/// The lanes of one visit to an instruction.
pub(super) struct VisitLanes {
    pub(super) active: u32,
    pub(super) executed: u32,
    /// Live lanes that the member mask names but that do not execute the instruction.
    pub(super) missing: u32,
}

pub(super) fn message(function: &Function, pc: u32, registers: &Registers, visit: &VisitLanes) -> String {
    let instruction = &function.code[pc as usize];
    let VisitLanes { active, executed, missing } = *visit;
    let members = match exchange_of(instruction, function) {
        Some(exchange) => members_of(exchange, registers, executed),
        None => *registers.get::<u32>(instruction.s.a),
    };
    let mask = lanes(executed).fold(0, |all, lane| all | members[lane]);
    let (off, diverged) = (missing & active, missing & !active);
    let mut absent = Vec::new();
    if diverged != 0 {
        absent.push(format!("{} diverged", LaneSet(diverged.into())));
    }
    if off != 0 {
        absent.push(format!("{} predicated off", LaneSet(off.into())));
    }
    format!(
        "only {} {} `{}` with mask {mask:#x}\n{}: behavior is undefined; make all lanes of the mask execute it, \
         or remove the others from the mask",
        LaneSet(executed.into()),
        if executed.count_ones() == 1 { "executes" } else { "execute" },
        name(instruction.op),
        absent.join(", ")
    )
}

fn name(op: Op) -> &'static str {
    match op {
        Op::Shuffle(_) => "shfl.sync",
        Op::Vote(_) => "vote.sync",
        Op::Match(_) => "match.sync",
        Op::Reduce(_) => "redux.sync",
        Op::Elect(_) => "elect.sync",
        _ => "bar.warp.sync",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_divergence_of_two_lanes_counts() {
        let mut log = DivergenceLog::default();
        log.record(1, [0x00ff, 0xff00]);
        log.record(2, [0x0001, 0xfffe]);
        log.record(3, [0x000f, 0x00f0]);
        let origins = log.origins(0xfff0, 0x000f);
        let places: Vec<_> = origins.iter().map(|origin| (origin.statement.0, &*origin.message)).collect();
        assert_eq!(places, [(3, "lanes 4-7 diverged here"), (1, "lanes 8-15 diverged here")]);
    }
}
