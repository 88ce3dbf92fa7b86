//! Listings of files that are not text or have no lines: machine code, which a disassembler of NVIDIA prints, and the JSON and the
//! graphs of `nvdisasm`.

mod debug_sections;
mod graph;
mod json;
mod machine_code;
mod tool;

use std::sync::atomic::AtomicBool;

pub(crate) use debug_sections::without_debug_sections;
pub(crate) use machine_code::MachineCode;
pub(crate) use tool::{Tool, ToolError, Tools};

/// The listing of machine code. The tool is stopped when `stop` is set.
pub(crate) fn disassemble(
    bytes: &[u8],
    kind: MachineCode,
    tools: &Tools,
    stop: &AtomicBool,
) -> Result<String, ToolError> {
    tools.print(bytes, kind, stop)
}

/// The listing of a text that has one in another form, the JSON or a graph of `nvdisasm`; `None` for any other text.
pub(crate) fn of_text(text: &str) -> Option<String> {
    if json::is_disassembly(text) {
        return json::listing(text);
    }
    graph::is_graph(text).then(|| graph::listing(text)).flatten()
}
