//! Release artifacts: the server in release, the `.vsix` that contains it, and the Python wheel that contains it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::project::project_root;
use crate::release_profile::{PROFILE, with_flags};
use crate::{extension, shell, web, wheel};

/// The limit of the packed extension in bytes: people download it for each version.
const MAX_PACKAGE: u64 = 16_000_000;

/// Builds the server with a profile of cargo and returns its path.
pub(crate) fn build_server(profile: &str) -> Result<PathBuf> {
    let build = shell::command(".", "cargo", &["build", "--package", "warplens", "--profile", profile]);
    with_flags(build, profile)?.run()?;
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
        if let Err(error) = web::run() {
            println!("without a server for browsers: {error:#}");
        }
        let package = extension::pack(&server)?;
        println!("extension: {} ({:.2} MB)", package.display(), check_size(&package)? as f64 / 1e6);
    }
    if let Some(wheel) = wheel::build(PROFILE, "dist")? {
        println!("wheel:     {}", wheel.display());
    }
    Ok(())
}

/// The size of the packed extension; an error above the limit.
fn check_size(package: &Path) -> Result<u64> {
    let bytes = fs::metadata(package)?.len();
    ensure!(
        bytes <= MAX_PACKAGE,
        "{} has {bytes} bytes, more than {MAX_PACKAGE}: `unzip -v` lists what is in it; most is the server, whose size depends on \
         its dependencies and on the profile `{PROFILE}` in Cargo.toml",
        package.display()
    );
    Ok(bytes)
}
