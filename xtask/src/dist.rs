//! Release artefacts: the server in release, and the `.vsix` with it inside.

use std::path::PathBuf;

use anyhow::Result;

use crate::{extension, project_root, shell};

/// Builds the server with a profile of Cargo's and gives its path.
pub(crate) fn build_server(profile: &str) -> Result<PathBuf> {
    shell::run(".", "cargo", &["build", "--package", "warplens", "--profile", profile])?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project_root().join("target"), PathBuf::from);
    Ok(target.join(folder).join(format!("warplens{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds the server and packs the extension around it.
pub(crate) fn run() -> Result<()> {
    let server = build_server("release")?;
    println!("server:    {}", server.display());
    if extension::node_is_there() {
        extension::install_tools()?;
        println!("extension: {}", extension::pack(&server)?.display());
    }
    Ok(())
}
