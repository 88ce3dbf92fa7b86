//! What a statement does with values: copies them, or computes new ones.

use super::instruction::{Instruction, Operand};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The only source, unchanged.
    Copy,
    Load,
    Store,
    Shuffle,
    /// Returns the old value. An exchange also stores its source unchanged.
    Atomic {
        exchanges: bool,
    },
    MemoryCopy,
    Compute,
}

const LOADS: [&str; 8] = ["ld", "ldu", "LD", "LDG", "LDS", "LDL", "LDC", "ULDC"];
const STORES: [&str; 5] = ["st", "ST", "STG", "STS", "STL"];
const ATOMICS: [&str; 7] = ["atom", "red", "ATOM", "ATOMG", "ATOMS", "RED", "REDG"];
const MOVES: [&str; 11] =
    ["mov", "cvta", "MOV", "UMOV", "R2UR", "S2R", "S2UR", "CS2R", "mov_imm", "mov_sr", "IMAD.MOV.U32"];
/// WAVE, whose opcodes may have their width after an underscore.
const WAVE_LOADS: [&str; 2] = ["device_load", "local_load"];
const WAVE_STORES: [&str; 2] = ["device_store", "local_store"];
const WAVE_SHUFFLES: [&str; 2] = ["wave_shuffle", "wave_broadcast"];

impl Instruction {
    pub(super) fn meaning(&self) -> Meaning {
        let starts = |words: &[&str]| words.iter().any(|word| self.opcode.starts_with(word));
        match () {
            () if starts(&["cp.async.ca", "cp.async.cg", "LDGSTS"]) => Meaning::MemoryCopy,
            () if self.opcode.contains("atomic_") || self.is_any(&ATOMICS) => {
                Meaning::Atomic { exchanges: ["exch", "EXCH", "exchange"].iter().any(|word| self.has(word)) }
            }
            () if starts(&WAVE_LOADS) || self.is_any(&LOADS) => Meaning::Load,
            () if starts(&WAVE_STORES) || self.is_any(&STORES) => Meaning::Store,
            () if starts(&WAVE_SHUFFLES) || self.is_any(&["shfl", "SHFL"]) => Meaning::Shuffle,
            () if self.copies() => Meaning::Copy,
            () => Meaning::Compute,
        }
    }

    /// Whether it moves its source.
    fn copies(&self) -> bool {
        let moves = self.is_any(&MOVES);
        // Packing and unpacking vectors computes.
        let values = self.sources.iter().filter(|source| !self.is_padding(source)).count();
        moves && values == 1 && self.targets.len() == 1
    }

    /// The zeros of `IMAD.MOV`, and the lane mask of `MOV`.
    fn is_padding(&self, source: &Operand) -> bool {
        matches!(source, Operand::Constant(name) if self.opcode.starts_with("IMAD.MOV") && name == "RZ")
            || self.opcode.starts_with("MOV")
                && matches!(source, Operand::Constant(name) if name == "0xf")
                && self.sources.len() == 2
    }

    /// The source of a copy.
    pub(super) fn copied(&self) -> Option<&Operand> {
        self.sources.iter().find(|source| !self.is_padding(source))
    }

    /// Whether the first source is the address of an atomic. WAVE has no brackets.
    pub(super) fn starts_with_address(&self) -> bool {
        let has_brackets = self.sources.iter().any(|source| matches!(source, Operand::Memory(_)));
        matches!(self.meaning(), Meaning::Atomic { .. }) && !has_brackets && !self.sources.is_empty()
    }

    /// What a store or an atomic puts into memory, element by element.
    pub(super) fn stored(&self) -> Vec<&Operand> {
        let has_brackets = self.sources.iter().any(|source| matches!(source, Operand::Memory(_)));
        let values: Vec<_> =
            self.sources.iter().filter(|source| !matches!(source, Operand::Memory(_))).collect();
        if has_brackets {
            return values;
        }
        // WAVE: the guide's dialect, with dots, has the value first, the toolchain's the address.
        let value = match self.meaning() {
            Meaning::Atomic { .. } => values.get(1),
            _ if self.opcode.contains('.') => values.first(),
            _ => values.get(1),
        };
        value.copied().into_iter().collect()
    }
}
