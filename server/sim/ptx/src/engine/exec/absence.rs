//! Lanes that a member mask names but that do not execute the instruction, and where they diverged.

use rustc_hash::FxHashSet;
use warplens_sim_cuda::registers::{Registers, filter_lanes, lanes};
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Related, StatementId};

use super::warp_collectives::{members_slot, named};
use crate::engine::divergence::group::LanePosition;
use crate::program::{Function, Guard, Instruction, Op};

const EVENTS: usize = 8;

#[derive(Clone, Debug, Default)]
pub(crate) struct DivergenceLog {
    events: [Divergence; EVENTS],
    next: usize,
    /// What is reported, at most once for each of the statements: several instructions with one wrong mask are one mistake.
    reported: FxHashSet<Absence>,
    statements: FxHashSet<u32>,
}

/// Lanes that are missing for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Absence {
    instruction: &'static str,
    mask: u32,
    missing: u32,
    /// The guard of the instruction, and where the missing lanes diverged.
    guard: Guard,
    origin: Option<StatementId>,
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

    /// Whether the absence of these lanes is reported for the first time.
    pub(super) fn is_new(&mut self, at: &NamedLanes<'_>, visit: &VisitLanes, origins: &[Related]) -> bool {
        let statement = at.function.first_statement + at.pc;
        if self.statements.contains(&statement) {
            return false;
        }
        let absence = Absence {
            instruction: at.name(),
            mask: at.mask(visit.executed),
            missing: visit.missing,
            guard: at.instruction().guard,
            origin: origins.first().map(|origin| origin.statement),
        };
        let is_new = self.reported.insert(absence);
        if is_new {
            self.statements.insert(statement);
        }
        is_new
    }
}

/// An instruction that names lanes, and the registers with its mask.
#[derive(Clone, Copy)]
pub(super) struct NamedLanes<'f> {
    pub(super) function: &'f Function,
    pub(super) pc: u32,
    pub(super) registers: &'f Registers,
}

/// The lanes of one visit to an instruction.
pub(super) struct VisitLanes {
    pub(super) active: u32,
    /// The lanes that execute it and name missing ones.
    pub(super) executed: u32,
    /// Live lanes that the member mask names but that do not execute the instruction.
    pub(super) missing: u32,
}

impl NamedLanes<'_> {
    fn instruction(&self) -> &Instruction {
        &self.function.code[self.pc as usize]
    }

    fn name(&self) -> &'static str {
        let tables = &self.function.tables;
        match self.instruction().op {
            Op::MatrixAccess(id) if tables[id].store => "stmatrix.sync",
            Op::FragmentAccess(id) if tables[id].store => "wmma.store.sync",
            op => name(op),
        }
    }

    /// The executing lanes that name `missing` ones.
    pub(super) fn naming(&self, missing: u32, executed: u32) -> u32 {
        let members =
            members_slot(self.instruction(), self.function).map(|slot| self.registers.get::<u32>(slot));
        members.map_or(executed, |members| filter_lanes(executed, |lane| members[lane] & missing != 0))
    }

    /// All lanes that the executing lanes name.
    fn mask(&self, executed: u32) -> u32 {
        let instruction = self.instruction();
        match members_slot(instruction, self.function) {
            Some(slot) => named(self.registers.get(slot), executed),
            None if instruction.op.is_of_whole_warp() => u32::MAX,
            None => executed,
        }
    }

    /// Whether lanes that diverged at `origins` are at `places` from which they come to the point of reconvergence and to no instruction
    /// that names lanes. There they wait for the executing lanes, which wait for them, since `sm_70`.
    pub(super) fn is_deadlock(&self, origins: &[Related], places: &[LanePosition], missing: u32) -> bool {
        let place_of = |lane: usize| places.iter().find(|place| place.mask >> lane & 1 == 1);
        let Function { first_statement, code, .. } = self.function;
        let mut joins = origins.iter().filter_map(|origin| {
            let branch = code.get(origin.statement.0.checked_sub(*first_statement)? as usize)?;
            matches!(branch.op, Op::Branch(_)).then_some(branch.s.b)
        });
        // The innermost divergence comes first, so the last point of reconvergence is the outermost.
        let Some(join) = joins.next_back().filter(|join| (*join as usize) < code.len()) else { return false };
        missing != 0
            && lanes(missing)
                .all(|lane| place_of(lane).is_some_and(|place| only_rejoins(code, place.pc, join)))
    }
}

/// Whether every path from `pc` comes to `join`, without an exit, a call or an instruction that names lanes.
fn only_rejoins(code: &[Instruction], pc: u32, join: u32) -> bool {
    let (mut open, mut visited) = (vec![pc], Vec::new());
    while let Some(pc) = open.pop() {
        if pc == join || visited.contains(&pc) {
            continue;
        }
        visited.push(pc);
        let Some(instruction) = code.get(pc as usize) else { return false };
        match instruction.op {
            Op::Return(_) | Op::Exit | Op::Trap | Op::Call(..) | Op::Switch(..) | Op::WarpSync => {
                return false;
            }
            Op::Shuffle(_) | Op::Vote(_) | Op::Match(_) | Op::Reduce(_) | Op::Elect(_) => return false,
            Op::Branch(_) => open.push(instruction.s.a),
            _ => {}
        }
        if !matches!(instruction.op, Op::Branch(_)) || instruction.guard != Guard::ALWAYS {
            open.push(pc + 1);
        }
    }
    true
}

pub(super) fn message(at: &NamedLanes<'_>, visit: &VisitLanes, is_deadlock: bool) -> String {
    let VisitLanes { active, executed, missing } = *visit;
    let (off, diverged) = (missing & active, missing & !active);
    let mut absent = Vec::new();
    if diverged != 0 {
        absent.push(format!("{} diverged", LaneSet(diverged.into())));
    }
    if off != 0 {
        absent.push(format!("{} predicated off", LaneSet(off.into())));
    }
    let why = match is_deadlock {
        true => "they wait to reconverge while the others wait for them here, a deadlock on a GPU",
        false => "behavior is undefined",
    };
    let (of_mask, advice) = match at.instruction().op.is_of_whole_warp() {
        true => {
            (String::new(), "all lanes of a warp must execute it together: move it out of divergent code")
        }
        false => (
            format!(" with mask {:#x}", at.mask(executed)),
            "make all lanes of the mask execute it, or remove the others from the mask",
        ),
    };
    format!(
        "only {} {} `{}`{of_mask}\n{}: {why}; {advice}",
        LaneSet(executed.into()),
        LaneSet(executed.into()).verb("executes", "execute"),
        at.name(),
        absent.join(", ")
    )
}

/// The message about an instruction of a whole warp whose other lanes have exited, or were never launched.
pub(super) fn exited(at: &NamedLanes<'_>, executed: u32) -> String {
    format!(
        "only {} {} `{}`\nthe others have exited or are not launched, and behavior is undefined without them: launch whole \
         warps, and let lanes that have nothing to do take part with zeros",
        LaneSet(executed.into()),
        LaneSet(executed.into()).verb("executes", "execute"),
        at.name(),
    )
}

fn name(op: Op) -> &'static str {
    match op {
        Op::Shuffle(_) => "shfl.sync",
        Op::Vote(_) => "vote.sync",
        Op::Match(_) => "match.sync",
        Op::Reduce(_) => "redux.sync",
        Op::Elect(_) => "elect.sync",
        Op::MatrixProduct(_) => "mma.sync",
        Op::MatrixTranspose => "movmatrix.sync",
        Op::MatrixAccess(_) => "ldmatrix.sync",
        Op::FragmentAccess(_) => "wmma.load.sync",
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
