//! Integer divisions by zero. Their result is undefined; one that matters is a warning, any other an information.

use crate::cuda::registers::{Registers, lanes};
use crate::cuda::sanitizer::Sanitizer;
use crate::cuda::semantics::integer::IntOp;
use crate::lanes::Lanes;
use crate::ptx::program::{Instruction, Op};
use crate::warp::finding_kind::FindingKind;

impl Sanitizer {
    /// Checks the divisor, if the instruction has one.
    #[inline]
    pub(crate) fn divides(&mut self, instruction: &Instruction, registers: &Registers, mask: u32) {
        if let Op::Int(IntOp::Div | IntOp::Rem, ty) = instruction.op
            && self.checks.division
        {
            let divisor = |lane: usize| match ty.bits() {
                64 => registers.get::<u64>(instruction.s.b)[lane],
                bits => (registers.get::<u32>(instruction.s.b)[lane] & u32::MAX >> (32 - bits)).into(),
            };
            let zero = lanes(mask).filter(|&lane| divisor(lane) == 0).fold(0, |all, lane| all | 1 << lane);
            if zero != 0 {
                self.undefined.divided = zero;
                self.made_undefined |= self.checks.uninitialized;
                self.report_division(zero);
            }
        }
    }

    #[cold]
    fn report_division(&mut self, lanes: u32) {
        if !self.reported.insert((FindingKind::DivisionByZero, self.visit.statement, u32::MAX)) {
            return;
        }
        self.report(
            FindingKind::DivisionByZero,
            format!(
                "in {}\nthe result is unspecified (all ones in the simulator); guard the division",
                Lanes(lanes.into())
            ),
            self.visit.statement,
            lanes,
            None,
        );
    }
}
