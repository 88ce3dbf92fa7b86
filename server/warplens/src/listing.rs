//! Listings of files that are not text or have no lines: machine code, which a disassembler of NVIDIA prints, and the JSON and the
//! graphs of `nvdisasm`.

mod graph;
mod json;
mod tool;

pub(crate) use tool::{Tool, ToolError, Tools};

/// The first bytes of an ELF file: a cubin, or a program of the host.
const ELF: &[u8] = b"\x7fELF";

/// The first bytes of a fat binary.
const FAT_BINARY: &[u8] = b"\x50\xed\x55\xba";

/// Where an ELF file states its machine, and the number of CUDA.
const MACHINE: std::ops::Range<usize> = 18..20;
const CUDA: &[u8] = &[190, 0];

/// A file that a disassembler prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MachineCode {
    /// Machine code of one target.
    Cubin,
    /// A fat binary, or a program of the host that may contain some.
    FatBinary,
}

impl MachineCode {
    /// The kind of a file, by its contents.
    pub(crate) fn of(bytes: &[u8]) -> Option<MachineCode> {
        if bytes.starts_with(ELF) {
            let is_cubin = bytes.get(MACHINE) == Some(CUDA);
            return Some(if is_cubin { MachineCode::Cubin } else { MachineCode::FatBinary });
        }
        bytes.starts_with(FAT_BINARY).then_some(MachineCode::FatBinary)
    }
}

/// The listing of machine code.
pub(crate) fn disassemble(bytes: &[u8], kind: MachineCode, tools: &Tools) -> Result<String, ToolError> {
    tools.print(bytes, kind)
}

/// The listing of a text that has one in another form, the JSON or a graph of `nvdisasm`; `None` for any other text.
pub(crate) fn of_text(text: &str) -> Option<String> {
    if json::is_disassembly(text) {
        return json::listing(text);
    }
    graph::is_graph(text).then(|| graph::listing(text)).flatten()
}
