//! `assembler-fault`: statements that published versions of ptxas assemble into machine code that does something else.
//!
//! [`FAULTS`] lists the faults; [`patterns`] finds the statements. A pattern compares values and not text: a value is the result of
//! one instruction, so copies, constants in registers, the order of operands and other statements between do not matter.

mod fixes;
mod patterns;
#[cfg(test)]
mod tests;
mod values;

use warplens_hir::ptx::Function;
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;

use crate::codes;
use patterns::Found;

/// A fault of published assemblers.
#[derive(Debug)]
struct Fault {
    /// The versions of ptxas that have it, as far as they were tried.
    versions: &'static str,
    /// The compute capabilities that it concerns, `90` for `sm_90` and its variants; all if empty.
    capabilities: &'static [u16],
    /// How these targets are called in the message.
    targets: &'static str,
    /// What the machine code does instead.
    effect: &'static str,
}

/// A shift left and a shift right of one value, by 64 bits together, whose difference becomes a rotation.
const ROTATION: Fault = Fault {
    versions: "11.8 to 13.2",
    capabilities: &[],
    targets: "every target",
    effect: "a rotation, which is the sum of the two shifts and not their difference",
};

/// A maximum of three values of which one is negated.
const MAXIMUM: Fault = Fault {
    versions: "12.9 to 13.3",
    capabilities: &[90, 100, 103],
    targets: "sm_90, sm_100 and sm_103",
    effect: "one instruction for three values, `VIMNMX3`, that loses a negation",
};

impl Fault {
    fn concerns(&self, module: &ModuleTarget) -> bool {
        let target = module.architecture.as_deref().and_then(warplens_isa::ptx::target);
        self.capabilities.is_empty() || target.is_some_and(|it| self.capabilities.contains(&it.number))
    }
}

/// Adds the statements that an assembler gets wrong to the problems of a function.
pub(super) fn check(function: &Function, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for found in patterns::find(function) {
        let fault = found.fault();
        if !fault.concerns(module) {
            continue;
        }
        let what = match &found {
            Found::Rotation { .. } => "the difference of these shifts".to_owned(),
            Found::Maximum { opcode, .. } => format!("this `{opcode}` of three values"),
        };
        let message =
            format!("ptxas {} assembles {what} for {} into {}", fault.versions, fault.targets, fault.effect);
        let at = function.instruction(found.at());
        let mut problem = Problem::warning(at.range(), codes::ASSEMBLER_FAULT, message);
        for part in found.parts() {
            problem = problem.with_related(function.instruction(part).range(), "a part of it");
        }
        problems.push(problem.with_fix(fixes::fix(&found, function, text)));
    }
}

impl Found {
    fn fault(&self) -> &'static Fault {
        match self {
            Found::Rotation { .. } => &ROTATION,
            Found::Maximum { .. } => &MAXIMUM,
        }
    }
}
