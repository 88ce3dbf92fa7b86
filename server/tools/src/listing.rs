//! Listings of files that are not listings: machine code, which NVIDIA's disassemblers print, and the JSON
//! and graphs of `nvdisasm`.

mod debug_sections;
mod graph;
mod json;
mod machine_code;
mod tool;

pub use debug_sections::without_debug_sections;
pub use machine_code::MachineCode;
pub use tool::{Tool, Tools};

/// The listing in the JSON or a graph of `nvdisasm`; `None` for any other text.
pub fn of_text(text: &str) -> Option<String> {
    if json::is_disassembly(text) {
        return json::listing(text);
    }
    graph::is_graph(text).then(|| graph::listing(text)).flatten()
}
