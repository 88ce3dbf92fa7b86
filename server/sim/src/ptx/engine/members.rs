//! Who a group must wait for before an instruction that lanes of a warp do together.

use super::groups::{Group, Otherwise};
use super::launch::Launch;
use super::warp::Warp;
use crate::ptx::program::{Function, Instruction, Op};
use crate::ptx::registers::lanes;

impl Warp {
    /// Whether the group is at such an instruction and has to wait for lanes that are elsewhere; then it does.
    pub(crate) fn waits_for_members(&mut self, group: Group, launch: &Launch<'_>) -> bool {
        let missing = self.function(launch, group.frame).and_then(|function| self.missing(group, function));
        let Some((lanes, otherwise)) = missing.filter(|_| group.asks) else { return false };
        self.groups.want(lanes, otherwise);
        true
    }

    /// The lanes without which the group's next instruction cannot be done, if any are elsewhere.
    fn missing(&self, group: Group, function: &Function) -> Option<(u32, Otherwise)> {
        let frame = self.frames[group.frame as usize].as_ref()?;
        let instruction = function.code.get(group.pc as usize)?;
        let executed = instruction.guard.of(&frame.registers.predicates, group.mask);
        let (members, otherwise) = match named(instruction, function) {
            Members::Named(slot) => {
                let members = frame.registers.get::<u32>(slot);
                (lanes(executed).fold(0, |all, lane| all | members[lane]), Otherwise::Stuck)
            }
            Members::All(otherwise) => (self.live, otherwise),
        };
        let elsewhere = members & self.live & !group.mask;
        (executed != 0 && elsewhere != 0).then_some((members & self.live, otherwise))
    }
}

/// The lanes that must come to an instruction.
enum Members {
    /// Those that a register names.
    Named(u32),
    /// All of the warp.
    All(Otherwise),
}

fn named(instruction: &Instruction, function: &Function) -> Members {
    match instruction.op {
        Op::WarpSync => Members::Named(instruction.s.a),
        // Part of a warp may come to a barrier, but it must not.
        Op::Barrier => Members::All(Otherwise::GoesOn),
        Op::Shuffle | Op::Vote | Op::Match | Op::Reduce | Op::Elect => {
            let exchange = &function.tables.exchanges[instruction.s.a as usize];
            exchange.members.map_or(Members::All(Otherwise::GoesOn), Members::Named)
        }
        _ => Members::All(Otherwise::Stuck),
    }
}
