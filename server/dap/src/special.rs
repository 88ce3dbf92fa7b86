//! The values of special registers, which depend only on the launch and the lane.

use warplens_sim_warp::launch_config::thread_of;
use warplens_sim_warp::{LaunchConfig, WarpId};

/// The names of the special registers that scopes show, by language.
pub(crate) const PTX: [&str; 17] = [
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%lanemask_lt",
    "%lanemask_eq",
];
pub(crate) const SASS: [&str; 8] =
    ["SR_TID.X", "SR_TID.Y", "SR_TID.Z", "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z", "SR_LANEID", "SR_LTMASK"];
pub(crate) const WAVE: [&str; 9] = [
    "sr_thread_id_x",
    "sr_thread_id_y",
    "sr_thread_id_z",
    "sr_workgroup_id_x",
    "sr_workgroup_id_y",
    "sr_workgroup_id_z",
    "sr_lane_id",
    "sr_wave_id",
    "sr_wave_width",
];

/// The value of a special register in a lane.
pub(crate) fn value(name: &str, config: &LaunchConfig, warp: WarpId, lane: u32, width: u32) -> Option<u64> {
    let name = name.to_ascii_lowercase();
    let name = name.trim_start_matches('%').trim_start_matches("sr_");
    let (base, axis) = match name.rsplit_once(['.', '_']) {
        Some((base, axis @ ("x" | "y" | "z"))) => (base, usize::from(axis.as_bytes()[0] - b'x')),
        _ => (name, 3),
    };
    let at = |extents: [u32; 3]| extents.get(axis).copied();
    let bit = 1u64 << lane;
    let all = if width < 64 { (1 << width) - 1 } else { u64::MAX };
    Some(match base {
        "tid" | "thread_id" => at(thread_of(warp.warp, lane, width, config.block))?.into(),
        "ntid" | "workgroup_size" => at(config.block)?.into(),
        "ctaid" | "workgroup_id" => at(warp.cta)?.into(),
        "nctaid" | "grid_size" => at(config.grid)?.into(),
        "laneid" | "lane_id" => lane.into(),
        "warpid" | "wave_id" => warp.warp.into(),
        "nwarpid" | "wave_count" => config.warps(),
        "wave_width" => width.into(),
        "lanemask_eq" | "eqmask" => bit,
        "lanemask_lt" | "ltmask" => bit - 1,
        "lanemask_le" | "lemask" => bit | (bit - 1),
        "lanemask_gt" | "gtmask" => !(bit | (bit - 1)) & all,
        "lanemask_ge" | "gemask" => !(bit - 1) & all,
        _ => return None,
    })
}
