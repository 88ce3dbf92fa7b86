//! Positions and lengths of 64-bit fields above 255: the PTX ISA uses their low 8 bits, but assembled code clamps them to
//! 64.
//!
//! For 32-bit fields, both rules give the same results.

use warplens_sim_cuda::registers::{Registers, filter_lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::report::Report;
use warplens_sim_cuda::slot::Slot;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::Checks;

use crate::program::{Function, Op, Width};

/// Checks the position and the length, if the instruction has them.
#[inline]
pub(crate) fn check(
    sanitizer: &mut Sanitizer,
    function: &Function,
    pc: u32,
    registers: &Registers,
    mask: u32,
) {
    let instruction = &function.code[pc as usize];
    let s = &instruction.s;
    match instruction.op {
        Op::ExtractField(_, Width::W64) => field(sanitizer, function, registers, mask, [s.b, s.c]),
        Op::InsertField(Width::W64) => field(sanitizer, function, registers, mask, [s.c, s.e]),
        _ => {}
    }
}

fn field(
    sanitizer: &mut Sanitizer,
    function: &Function,
    registers: &Registers,
    mask: u32,
    operands: [Slot; 2],
) {
    if sanitizer.report.checks == Checks::default() {
        return;
    }
    for (slot, what) in operands.into_iter().zip(["position", "length"]) {
        let values = registers.get::<u32>(slot);
        let differs = |lane: usize| values[lane] > 255 && values[lane] & 0xff < 64;
        let found = filter_lanes(mask, differs);
        let is_constant = || function.frame.word_constants.iter().any(|(constant, _)| *constant == slot);
        if found != 0 && !is_constant() {
            report_field(&mut sanitizer.report, what, values[found.trailing_zeros() as usize], found);
        }
    }
}

#[cold]
fn report_field(report: &mut Report, what: &str, value: u32, lanes: u32) {
    if !report.note_new(FindingKind::BitField, None) {
        return;
    }
    let message = format!(
        "{what} {value} in {} is outside 0..255\nthe PTX ISA uses its low 8 bits ({}), as the simulator does, and code \
         assembled by `ptxas` clamps it at 64; limit the {what} to 64 with `min.u32`",
        LaneSet(lanes.into()),
        value & 0xff
    );
    report.add(FindingKind::BitField, message, lanes, None);
}
