//! The transfer function of instructions: computes the variance of results from the variance of sources.

use super::super::cells::Cell;
use super::super::functions::Functions;
use super::super::model::{Code, Instruction, Value};
use super::known::{Known, is_varying_special};
use crate::Variance;

/// How the results of an instruction vary among the lanes that execute it.
pub(super) fn result(written: Memory, instruction: &Instruction, known: &Known) -> Variance {
    let special = instruction.operands.iter().filter(|operand| is_varying_special(&operand.value));
    let registers = instruction.sources().map(|cell| known.of(cell));
    let sources = || registers.clone().chain(special.clone().map(|_| Variance::Varies));
    let most = sources().max().unwrap_or(Variance::Uniform);
    let varying = sources().filter(|one| *one == Variance::Varies).count();
    let name = instruction.name();
    match name {
        "wave_broadcast" | "wave_ballot" | "wave_any" | "wave_all" => Variance::Uniform,
        _ if name.starts_with("wave_reduce") => Variance::Uniform,
        "wave_prefix_sum" => Variance::Varies,
        // All lanes read from the same lane.
        "wave_shuffle" | "wave_shuffle_idx" if shares_last(instruction, known) => Variance::Uniform,
        // After a reduction over the wave, all lanes may hold the same value.
        _ if name.starts_with("wave_") => Variance::Unknown,
        _ if name.contains("load.") => {
            let shared = most == Variance::Uniform && written.keeps(name);
            if shared { Variance::Uniform } else { Variance::Unknown }
        }
        _ if name.contains("atomic") => Variance::Unknown,
        // The values of two lanes may differ by the same amount in both sources.
        "isub" | "xor" if sources_are_one(instruction) => Variance::Uniform,
        "isub" | "xor" | "fsub" if varying > 1 => Variance::Unknown,
        _ if name.contains("cmp.") && varying > 1 => Variance::Unknown,
        // The bits that differ may be cut off.
        "shr" | "sar" | "idiv" | "bfe" => most.min(Variance::Unknown),
        _ => most,
    }
}

fn sources_are_one(instruction: &Instruction) -> bool {
    let [_, first, second] = &instruction.operands[..] else { return false };
    first.value == second.value && matches!(first.value, Value::Register { .. })
}

/// Whether the last operand has the same value in all lanes.
fn shares_last(instruction: &Instruction, known: &Known) -> bool {
    match instruction.operands.last().map(|operand| &operand.value) {
        Some(Value::Register { index, .. }) => known.of(Cell::General(*index)) == Variance::Uniform,
        Some(Value::Integer { .. }) => true,
        _ => false,
    }
}

/// The kinds of memory that a kernel or its callees may write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Memory {
    local: bool,
    device: bool,
}

impl Memory {
    pub(super) fn written_by(code: &Code, functions: &Functions) -> Memory {
        let others = functions.calls_others();
        let mut written = Memory { local: others, device: others };
        for instruction in &code.instructions {
            let name = instruction.name();
            let anything = instruction.entry.is_none();
            let stores = name.contains("store") || name.contains("atomic");
            let local = name.starts_with("local") || name.starts_with("mma");
            written.local |= anything || stores && local;
            written.device |= anything || stores && !local;
        }
        written
    }

    /// Whether the memory that a load reads stays unchanged for the whole launch.
    fn keeps(self, load: &str) -> bool {
        if load.starts_with("local") { !self.local } else { !self.device }
    }
}
