//! Integer divisions by zero. The result is undefined: a warning if it matters, otherwise an information.

use warplens_sim_cuda::registers::{Registers, filter_lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;

use crate::program::{Instruction, Op};

#[inline]
pub(crate) fn check(sanitizer: &mut Sanitizer, instruction: &Instruction, registers: &Registers, mask: u32) {
    if let Op::Int(IntOp::Div | IntOp::Rem, ty) = instruction.op
        && sanitizer.checks.division
    {
        let divisor = |lane: usize| match ty.bits() {
            64 => registers.get::<u64>(instruction.s.b)[lane],
            bits => (registers.get::<u32>(instruction.s.b)[lane] & u32::MAX >> (32 - bits)).into(),
        };
        let zero = filter_lanes(mask, |lane| divisor(lane) == 0);
        if zero != 0 {
            sanitizer.undefined.divided = zero;
            sanitizer.made_undefined |= sanitizer.checks.uninitialized;
            report_division(sanitizer, zero);
        }
    }
}

#[cold]
fn report_division(sanitizer: &mut Sanitizer, lanes: u32) {
    if !sanitizer.reported.insert((FindingKind::DivisionByZero, sanitizer.visit.statement, u32::MAX)) {
        return;
    }
    sanitizer.report(
        FindingKind::DivisionByZero,
        format!(
            "in {}\nthe result is unspecified (all ones in the simulator); guard the division",
            LaneSet(lanes.into())
        ),
        sanitizer.visit.statement,
        lanes,
        None,
    );
}
