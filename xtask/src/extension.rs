//! The VS Code extension: built, checked, and packed with the server inside for this platform.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::project::{PAGE, PAGE_OUT, project_root};
use crate::{notices, shell, skipped};

const FOLDER: &str = "editors/vscode";

/// Whether Node.js is installed; prints a message if not.
pub(crate) fn node_is_there() -> bool {
    let there = shell::on_path("node") && shell::on_path("npm");
    if !there {
        skipped::note("the VS Code extension", "Node.js 20 or newer was not found");
    }
    there
}

/// Installs the extension's tools, and those of the page.
pub(crate) fn install_tools() -> Result<()> {
    install(PAGE)?;
    install(FOLDER)
}

/// Installs the npm packages of a folder in the versions of its lock file.
pub(crate) fn install(folder: &str) -> Result<()> {
    npm(folder, &["ci", "--no-audit", "--no-fund", "--loglevel=error"])
}

/// Checks format, lints and types of the TypeScript and the editor tests, and runs the unit tests and those of the grammars.
pub(crate) fn check() -> Result<()> {
    npm(FOLDER, &["run", "--silent", "check"])?;
    npm(FOLDER, &["run", "--silent", "test:unit"])?;
    npm(FOLDER, &["run", "--silent", "test:grammar"])
}

/// Packs the extension with `server` and returns the path of the `.vsix`.
pub(crate) fn pack(server: &PathBuf) -> Result<PathBuf> {
    let root = project_root();
    let inside = root.join(FOLDER).join("server");
    fs::create_dir_all(&inside)?;
    let name = server.file_name().context("the server's path has no file name")?;
    fs::copy(server, inside.join(name)).with_context(|| format!("cannot copy {}", server.display()))?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(license), root.join(FOLDER).join(license))?;
    }
    notices::write(&root.join(FOLDER))?;
    let target = platform()?;
    let package = root.join("dist").join(format!("warplens-{target}.vsix"));
    fs::create_dir_all(root.join("dist"))?;
    npm(FOLDER, &["run", "--silent", "build"])?;
    pack_module()?;
    let out = shell::path_text(&package)?;
    let vsce = ["exec", "--no", "--", "vsce", "package", "--no-dependencies", "--allow-missing-repository"];
    npm(FOLDER, &[&vsce[..], &["--target", target, "--out", out]].concat())?;
    Ok(package)
}

/// Puts the server for browsers into the package, if `cargo xtask web` has built it.
fn pack_module() -> Result<()> {
    let root = project_root();
    let module = root.join(PAGE_OUT).join("warplens.wasm");
    if !module.is_file() {
        skipped::note("the extension in a browser", "`cargo xtask web` did not build its server");
        return Ok(());
    }
    fs::copy(&module, root.join(FOLDER).join("out/warplens.wasm")).context("cannot copy the module")?;
    Ok(())
}

/// The name of the platform in the extension registries.
fn platform() -> Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        ("windows", "x86_64") => "win32-x64",
        ("windows", "aarch64") => "win32-arm64",
        (system, processor) => bail!("VS Code has no package name for {system} on {processor}"),
    })
}

/// Runs npm in a folder.
pub(crate) fn npm(folder: &str, args: &[&str]) -> Result<()> {
    // On Windows it is a script with a file extension.
    shell::run(folder, if cfg!(windows) { "npm.cmd" } else { "npm" }, args)
}
