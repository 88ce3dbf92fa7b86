//! The lane from which a shuffle takes a value.

use warplens_sim_cuda::semantics::shuffle::ShuffleMode;

use super::instruction::Instruction;

/// The source lane of a lane of a warp of `width` lanes. `value` is the value of a source operand in the lane.
pub(super) fn source_lane(
    instruction: &Instruction,
    lane: u32,
    width: u32,
    value: impl Fn(usize) -> Option<u64>,
) -> Option<u32> {
    let by = value(1)? as u32;
    let opcode = &instruction.opcode;
    if !opcode.starts_with("shfl") && !opcode.starts_with("SHFL") {
        // WAVE: a lane outside of the wave keeps its value.
        let source = match () {
            () if opcode.contains("xor") => lane ^ by,
            () if opcode.contains("up") => lane.checked_sub(by).unwrap_or(lane),
            () if opcode.contains("down") => lane.saturating_add(by),
            () => by % width.max(1),
        };
        return Some(if source < width { source } else { lane });
    }
    let modes = [
        (["up", "UP"], ShuffleMode::Up),
        (["down", "DOWN"], ShuffleMode::Down),
        (["bfly", "BFLY"], ShuffleMode::Butterfly),
    ];
    let found = modes.into_iter().find(|(words, _)| words.iter().any(|word| instruction.has(word)));
    let mode = found.map_or(ShuffleMode::Index, |(_, mode)| mode);
    let (source, _) = mode.source(lane as usize, by, value(2)? as u32);
    Some(source as u32)
}
