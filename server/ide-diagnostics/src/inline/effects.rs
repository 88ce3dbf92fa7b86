//! What an instruction does beside writing its result.

use warplens_hir::ptx::{Function, Instruction, Resolution};

/// What a compiler must know about an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It writes memory, or waits for others.
    Memory,
    /// It reads memory.
    Load,
    /// Its result differs from one execution to the next, or from one place to another.
    Changes,
    /// It changes something besides memory.
    State,
    None,
}

pub(super) fn effect(function: &Function, instruction: Instruction<'_>) -> Effect {
    let has = |word: &str| instruction.has(word);
    match instruction.opcode() {
        "st" | "red" | "atom" | "bar" | "barrier" | "membar" | "fence" | "cp" | "mbarrier" | "stmatrix"
        | "sust" | "sured" | "discard" | "multimem" | "griddepcontrol" | "tensormap" => {
            match instruction.opcode() {
                "multimem" if has("ld_reduce") => Effect::Load,
                "mbarrier" if has("pending_count") => Effect::None,
                _ => Effect::Memory,
            }
        }
        "ld" if has("volatile") || has("acquire") || has("relaxed") || has("mmio") => Effect::Changes,
        "ld" | "ldu" | "ldmatrix" | "suld" => Effect::Load,
        "nanosleep" | "activemask" | "elect" => Effect::Changes,
        "tcgen05" | "wgmma" | "setmaxnreg" | "prefetch" | "prefetchu" | "applypriority" | "trap" | "exit"
        | "brkpt" | "pmevent" => Effect::State,
        "clusterlaunchcontrol" if has("try_cancel") => Effect::State,
        _ if reads_counter(function, instruction) => Effect::Changes,
        _ => Effect::None,
    }
}

/// Whether an instruction reads memory that may change.
pub(super) fn reads_memory(instruction: Instruction<'_>) -> bool {
    let is_load = matches!(instruction.opcode(), "ld" | "ldu" | "ldmatrix" | "suld");
    is_load && !instruction.has("const") && !instruction.has("param")
}

/// Whether an instruction reads a clock or another counter.
fn reads_counter(function: &Function, instruction: Instruction<'_>) -> bool {
    function.names_of(instruction).any(|name| match name.resolution {
        Resolution::Special(word) => {
            ["%clock", "%globaltimer", "%pm"].iter().any(|counter| word.starts_with(counter))
        }
        _ => false,
    })
}

/// Whether all lanes of a warp, or those of its mask, must execute the instruction together.
pub(super) fn is_convergent(instruction: Instruction<'_>) -> bool {
    let is_synchronizing = instruction.has("sync") || instruction.has("aligned");
    is_synchronizing
        || matches!(
            instruction.opcode(),
            "bar" | "barrier" | "shfl" | "vote" | "match" | "activemask" | "elect" | "redux"
        )
}
