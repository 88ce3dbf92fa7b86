//! Release artifacts: the server in release, the `.vsix` that contains it, and the Python wheel that contains it.

use std::path::PathBuf;

use anyhow::Result;

use crate::project::project_root;
use crate::{extension, shell, wheel};

/// The profile of the release artifacts.
pub(crate) const PROFILE: &str = "dist";

/// Builds the server with a profile of cargo and returns its path.
pub(crate) fn build_server(profile: &str) -> Result<PathBuf> {
    shell::run(".", "cargo", &["build", "--package", "warplens", "--profile", profile])?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project_root().join("target"), PathBuf::from);
    Ok(target.join(folder).join(format!("warplens{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds the server and packs the extension and the wheel with it.
pub(crate) fn run() -> Result<()> {
    let server = build_server(PROFILE)?;
    println!("server:    {}", server.display());
    if extension::node_is_there() {
        extension::install_tools()?;
        println!("extension: {}", extension::pack(&server)?.display());
    }
    if let Some(wheel) = wheel::build(PROFILE, "dist")? {
        println!("wheel:     {}", wheel.display());
    }
    Ok(())
}
