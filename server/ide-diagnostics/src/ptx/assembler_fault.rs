//! `assembler-fault`: statements that published versions of ptxas assemble into machine code that does something else.
//!
//! The constants of this module list the faults; [`patterns`] finds the statements. A pattern compares values and not text: a value is the result of
//! one instruction, so copies, constants in registers, the order of operands and other statements between do not matter.

mod fixes;
mod packed_sum;
mod patterns;
mod saturated_sum;
#[cfg(test)]
mod tests;
mod values;

use warplens_hir::ptx::Function;
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;

use crate::codes;
use patterns::Found;
use saturated_sum::Folded;

/// A form of a fault of published assemblers: a row of the table in the page of `assembler-fault`.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// The form, as the page writes it.
    form: &'static str,
    /// The versions of ptxas that have it, as far as they were tried.
    versions: &'static str,
    /// The compute capabilities that it concerns, `90` for `sm_90` and its variants; all if empty.
    capabilities: &'static [u16],
    /// How these targets are called in the message.
    targets: &'static str,
    /// What the machine code does instead.
    effect: &'static str,
}

const ROTATION: &str = "a rotation, which is the sum of the two shifts and not their difference";
const LOST_NEGATION: &str = "one instruction for three values, `VIMNMX3`, that loses a negation";

/// A shift left and a shift right of one value, by 64 bits together, whose difference becomes a rotation.
const DIFFERENCE: Fault = Fault {
    form: "`(x << n) - (x >> (64 - n))`",
    versions: "11.8 to 13.2",
    capabilities: &[],
    targets: "every target",
    effect: ROTATION,
};

/// The same written in another way, or with an arithmetic shift.
const DIFFERENCE_VARIANT: Fault = Fault {
    form: "the sum with `0 - (x >> (64 - n))`; the sum or difference with an arithmetic `>>`",
    versions: "12.9 (13.5 is right, others were not tried)",
    ..DIFFERENCE
};

/// A maximum of the absolute values of two numbers.
const MAXIMUM: Fault = Fault {
    form: "`max(max(x, -x), max(y, -y))`, `.s32`",
    versions: "12.9 to 13.3",
    capabilities: &[90, 100, 103],
    targets: "sm_90, sm_100 and sm_103",
    effect: LOST_NEGATION,
};

/// Other minima and maxima of three registers of which one is negated.
const MAXIMUM_VARIANT: Fault = Fault {
    form: "`max(max(x, -y), z)` of registers, `.s32` or `.s16`, also `min`",
    versions: "12.9 (13.5 is right, others were not tried)",
    ..MAXIMUM
};

/// A selection by the sign of a negated number.
const SELECTION: Fault = Fault {
    form: "`slct.s32.s32 d, a, b, -x`",
    versions: "12.9 and 13.5 (others were not tried)",
    capabilities: &[],
    targets: "every target",
    effect: "a comparison of the number with 0, which selects the other value if the number is 0x80000000",
};

/// A saturating conversion of a negated number.
const SATURATION: Fault = Fault {
    form: "`cvt.sat` of `-x` from `.s32`, or from `.s16` to at most 16 bits, to an integer",
    effect: "a comparison of the number with the negated limits, which is wrong if the number is the least of its type",
    ..SELECTION
};

const ANOTHER_SUM: &str = "one sum, which saturates where the first sum wraps around";

/// A saturating sum of a constant and of a sum with a constant.
const SATURATED_CONSTANTS: Fault = Fault {
    form: "`add.sat.s32` or `sub.sat.s32` of `x + c` and a constant; `c - x` likewise",
    effect: ANOTHER_SUM,
    ..SELECTION
};

/// A saturating sum of a sum and of one of its terms.
const SATURATED_TERM: Fault = Fault {
    form: "`add.sat.s32` of `x + y` and `y`, `sub.sat.s32` of `x - y` and `y`",
    capabilities: &[120, 121],
    targets: "sm_120 and sm_121",
    effect: ANOTHER_SUM,
    ..SELECTION
};

/// A saturating sum in which a term cancels another.
const SATURATED_DIFFERENCE: Fault = Fault {
    form: "`add.sat.s32` of `x - y` and `y`, `sub.sat.s32` of `x + y` and `y`, either of `x` and `-y`",
    versions: "12.9 (13.5 is right, others were not tried)",
    effect: "one sum without the term that cancels, or with the number and not its negation, which saturates elsewhere",
    ..SELECTION
};

/// A packed sum with a constant, of which the rest of the kernel reads one half.
const PACKED_SUM: Fault = Fault {
    form: "`add.s16x2` or `add.u16x2` of `x` and a constant, if one half of the sum is not used",
    capabilities: &[90, 100, 103, 120, 121],
    targets: "sm_90, sm_100, sm_103, sm_120 and sm_121",
    effect: "a sum with 0",
    ..SATURATED_DIFFERENCE
};

#[cfg(test)]
const FAULTS: [Fault; 10] = [
    DIFFERENCE,
    DIFFERENCE_VARIANT,
    MAXIMUM,
    MAXIMUM_VARIANT,
    SELECTION,
    SATURATION,
    SATURATED_CONSTANTS,
    SATURATED_TERM,
    SATURATED_DIFFERENCE,
    PACKED_SUM,
];

impl Fault {
    fn concerns(&self, module: &ModuleTarget) -> bool {
        let target = module.architecture.as_deref().and_then(warplens_isa::ptx::target);
        self.capabilities.is_empty() || target.is_some_and(|it| self.capabilities.contains(&it.number))
    }
}

/// Adds the statements that an assembler gets wrong to the problems of a function.
pub(super) fn check(function: &Function, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for (at, found) in patterns::find(function) {
        let fault = found.fault();
        if !fault.concerns(module) {
            continue;
        }
        let what = match &found {
            Found::Rotation { .. } => "the difference of these shifts".to_owned(),
            Found::Maximum { opcode, .. } => format!("this `{opcode}` of three values"),
            Found::Selection { .. } => "this `slct` by a negated number".to_owned(),
            Found::Saturation { .. } => "this `cvt` of a negated number".to_owned(),
            Found::SaturatedSum { .. } => "this saturating sum of a sum".to_owned(),
            Found::PackedSum => "this packed sum, of which one half is not used,".to_owned(),
        };
        let message =
            format!("ptxas {} assembles {what} for {} into {}", fault.versions, fault.targets, fault.effect);
        let at = function.instruction(at);
        let mut problem = Problem::warning(at.range(), codes::ASSEMBLER_FAULT, message);
        for part in found.parts() {
            problem = problem.with_related(function.instruction(part).range(), "a part of it");
        }
        problems.push(problem.with_fix(fixes::fix(&found, at, function, text)));
    }
}

impl Found {
    fn fault(&self) -> &'static Fault {
        match self {
            Found::Rotation { is_variant: false, .. } => &DIFFERENCE,
            Found::Rotation { is_variant: true, .. } => &DIFFERENCE_VARIANT,
            Found::Maximum { is_variant: false, .. } => &MAXIMUM,
            Found::Maximum { is_variant: true, .. } => &MAXIMUM_VARIANT,
            Found::Selection { .. } => &SELECTION,
            Found::Saturation { .. } => &SATURATION,
            Found::SaturatedSum { folded: Folded::Constants, .. } => &SATURATED_CONSTANTS,
            Found::SaturatedSum { folded: Folded::Repeated, .. } => &SATURATED_TERM,
            Found::SaturatedSum { folded: Folded::Cancelled, .. } => &SATURATED_DIFFERENCE,
            Found::PackedSum => &PACKED_SUM,
        }
    }
}
