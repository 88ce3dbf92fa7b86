//! Recognizes files with machine code by their first bytes.

/// The first bytes of an ELF file: a cubin or a host program.
const ELF: &[u8] = b"\x7fELF";

/// The first bytes of a fat binary.
const FAT_BINARY: &[u8] = b"\x50\xed\x55\xba";

/// The machine field of an ELF file, and its value for CUDA.
const MACHINE: std::ops::Range<usize> = 18..20;
const CUDA: &[u8] = &[190, 0];

/// A file that a disassembler can print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineCode {
    Cubin,
    /// A fat binary, or a host program that may contain fat binaries.
    FatBinary,
}

impl MachineCode {
    pub fn of(bytes: &[u8]) -> Option<MachineCode> {
        if bytes.starts_with(ELF) {
            let is_cubin = bytes.get(MACHINE) == Some(CUDA);
            return Some(if is_cubin { MachineCode::Cubin } else { MachineCode::FatBinary });
        }
        bytes.starts_with(FAT_BINARY).then_some(MachineCode::FatBinary)
    }
}
