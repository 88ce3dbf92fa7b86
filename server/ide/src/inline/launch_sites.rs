//! The sizes of the launches that a host file writes, in lenses over them.

use text_size::TextRange;
use warplens_host::HostLaunch;
use warplens_sim_launch::size;

use super::document::HostDocument;
use super::ranges::text_range;

/// Threads of a warp.
const WARP: u32 = 32;

/// The launches whose sizes the file says, each with its size in a line of text.
pub(crate) fn launch_sites(document: &HostDocument) -> Vec<(TextRange, String)> {
    document.launches().iter().map(|launch| (text_range(launch.range.clone()), title(launch))).collect()
}

/// `launch: grid 4, block 256 (8 warps), 1024 bytes of shared memory`
fn title(launch: &HostLaunch) -> String {
    let warps = launch.block.iter().product::<u32>().div_ceil(WARP);
    let unit = if warps == 1 { "warp" } else { "warps" };
    let shared = launch.shared.filter(|bytes| *bytes > 0);
    let shared = shared.map(|bytes| format!(", {bytes} bytes of shared memory")).unwrap_or_default();
    format!("launch: grid {}, block {} ({warps} {unit}){shared}", size(launch.grid), size(launch.block))
}
