//! The buffers and the warp that the arguments select.

use anyhow::{Context, Result, bail};
use warplens_ide::lanes::Prepared;
use warplens_sim_launch::PlacedBuffer;
use warplens_sim_warp::WarpId;

fn known(buffers: &[String]) -> String {
    match buffers {
        [] => "no buffers".to_owned(),
        _ => format!("{}; `all` selects all", buffers.join(", ")),
    }
}

/// The buffers with these names; `all` selects all buffers.
pub(super) fn buffers_to_dump(names: &[String], prepared: &Prepared) -> Result<Vec<PlacedBuffer>> {
    let resolved = &prepared.resolved;
    if names.iter().any(|name| name == "all") {
        return Ok(resolved.buffers.clone());
    }
    let buffer = |name: &String| {
        let buffers =
            || resolved.buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect::<Vec<_>>();
        let found = resolved.buffer(name).cloned();
        found
            .with_context(|| format!("--dump: unknown buffer `{name}`: the launch has {}", known(&buffers())))
    };
    names.iter().map(buffer).collect()
}

/// Checks that the launch has a warp. Otherwise the output would be empty.
pub(super) fn check_warp(warp: Option<WarpId>, prepared: &Prepared) -> Result<()> {
    if warp.is_none_or(|warp| prepared.has_warp(warp)) {
        return Ok(());
    }
    let ([x, y, z], warps) = (prepared.grid().map(|size| size - 1), prepared.warps() - 1);
    bail!("--warp: unknown warp: the launch has blocks 0,0,0 to {x},{y},{z} and warps 0 to {warps} in each")
}
