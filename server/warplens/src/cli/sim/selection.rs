//! The buffers and the warp that the arguments select.

use thiserror::Error;
use warplens_ide::lanes::Prepared;
use warplens_sim_launch::PlacedBuffer;
use warplens_sim_warp::WarpId;

/// The launch has no such buffer or warp.
#[derive(Debug, Error)]
pub(super) enum UnknownSelection {
    #[error("--dump: unknown buffer `{name}`: the launch has {}", known(.buffers))]
    Buffer { name: String, buffers: Vec<String> },
    #[error(
        "--warp: unknown warp: the launch has blocks 0,0,0 to {},{},{} and warps 0 to {warp} in each",
        block[0], block[1], block[2]
    )]
    Warp { block: [u32; 3], warp: u64 },
}

fn known(buffers: &[String]) -> String {
    match buffers {
        [] => "no buffers".to_owned(),
        _ => format!("{}; `all` selects all", buffers.join(", ")),
    }
}

/// The buffers with these names; `all` selects all buffers.
pub(super) fn buffers_to_dump(
    names: &[String],
    prepared: &Prepared,
) -> Result<Vec<PlacedBuffer>, UnknownSelection> {
    let resolved = &prepared.resolved;
    if names.iter().any(|name| name == "all") {
        return Ok(resolved.buffers.clone());
    }
    let buffer = |name: &String| {
        let buffers = || resolved.buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
        let found = resolved.buffer(name).cloned();
        found.ok_or_else(|| UnknownSelection::Buffer { name: name.clone(), buffers: buffers() })
    };
    names.iter().map(buffer).collect()
}

/// Checks that the launch has a warp. Otherwise the output would be empty.
pub(super) fn check_warp(warp: Option<WarpId>, prepared: &Prepared) -> Result<(), UnknownSelection> {
    let Some(warp) = warp else { return Ok(()) };
    match prepared.has_warp(warp) {
        true => Ok(()),
        false => Err(UnknownSelection::Warp {
            block: prepared.grid().map(|size| size - 1),
            warp: prepared.warps() - 1,
        }),
    }
}
