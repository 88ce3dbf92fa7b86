//! Masks of lanes in JSON.

use warplens_sim_warp::Mask;

/// Hex digits, highest lane first: 8, or 16 for warps of more than 32 lanes.
pub(crate) fn hex(lanes: Mask, width: u32) -> String {
    if width <= 32 { format!("{lanes:08x}") } else { format!("{lanes:016x}") }
}
