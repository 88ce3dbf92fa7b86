//! Integer divisions by zero. The result is undefined: a warning if it matters, otherwise an information.

use warplens_sim_cuda::registers::{Registers, filter_lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::report::Report;
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;

use crate::program::{Instruction, Op};

#[inline]
pub(crate) fn check(sanitizer: &mut Sanitizer, instruction: &Instruction, registers: &Registers, mask: u32) {
    if let Op::Int(IntOp::Div | IntOp::Rem, ty) = instruction.op
        && sanitizer.report.checks.division
    {
        let divisor = |lane: usize| match ty.bits() {
            64 => registers.get::<u64>(instruction.s.b)[lane],
            bits => (registers.get::<u32>(instruction.s.b)[lane] & u32::MAX >> (32 - bits)).into(),
        };
        let zero = filter_lanes(mask, |lane| divisor(lane) == 0);
        if zero != 0 {
            sanitizer.undefined.divided = zero;
            sanitizer.undefined.is_pending |= sanitizer.report.checks.uninitialized;
            report_division(&mut sanitizer.report, zero);
        }
    }
}

#[cold]
fn report_division(report: &mut Report, lanes: u32) {
    if report.note_new(FindingKind::DivisionByZero, None) {
        let message = format!(
            "in {}\nthe result is unspecified (all ones in the simulator); guard the division",
            LaneSet(lanes.into())
        );
        report.add(FindingKind::DivisionByZero, message, lanes, None);
    }
}
