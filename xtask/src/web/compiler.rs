//! A compiler for WebAssembly: that of rustup with its target, or where rustup cannot download that, the packages of Debian.
//!
//! The packages are extracted below `target` and not installed: they would shadow the compiler of rustup.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::project_root;
use crate::shell::{self, Step};

pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// Where the packages are downloaded and extracted.
const FOLDER: &str = "target/web-compiler";

/// A compiler that is at least the `rust-version` of the project, its Cargo, and the sources of the standard library, which Debian does not
/// build for WebAssembly.
const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

pub(super) enum Compiler {
    /// The compiler on PATH, which has the target.
    Installed,
    /// The extracted packages.
    Debian { root: PathBuf },
}

impl Compiler {
    /// Finds a compiler, or gets one.
    pub(super) fn find() -> Result<Compiler> {
        if has_target()? || (shell::on_path("rustup") && add_target() && has_target()?) {
            return Ok(Compiler::Installed);
        }
        let root = project_root().join(FOLDER).join("root");
        if root.join("usr/bin/rustc").is_file() || (shell::on_path("dpkg") && extract_packages(&root)?) {
            return Ok(Compiler::Debian { root });
        }
        bail!(
            "no compiler for {TARGET}: run `rustup target add {TARGET}`, or install a Rust that has this target"
        )
    }

    /// A command of Cargo.
    pub(super) fn cargo(&self, args: &[&str]) -> Step {
        let Compiler::Debian { root } = self else { return shell::command(".", "cargo", args) };
        let program = |name: &str| root.join("usr/bin").join(name);
        let (command, rest) = args.split_first().expect("a command of Cargo");
        // The standard library is built with the program.
        let args = [&[*command, "-Z", "build-std=std,panic_abort"], rest].concat();
        shell::command(".", program("cargo").to_str().unwrap_or("cargo"), &args)
            .env("RUSTC", program("rustc"))
            .env("RUSTC_BOOTSTRAP", "1")
            .env("LD_LIBRARY_PATH", root.join("usr/lib/x86_64-linux-gnu"))
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker().unwrap_or_else(|_| "rust-lld".into()))
    }
}

/// Whether the compiler on PATH has a standard library for the target.
fn has_target() -> Result<bool> {
    let folder = shell::command(".", "rustc", &["--print", "target-libdir", "--target", TARGET]).stdout()?;
    Ok(Path::new(folder.trim()).is_dir())
}

fn add_target() -> bool {
    shell::run(".", "rustup", &["target", "add", TARGET]).is_ok()
}

/// The linker of the compiler on PATH: Debian's package has none for WebAssembly.
fn linker() -> Result<PathBuf> {
    let sysroot = shell::command(".", "rustc", &["--print", "sysroot"]).stdout()?;
    let host = shell::command(".", "rustc", &["--print", "host-tuple"]).stdout()?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(host.trim()).join("bin/rust-lld"))
}

/// Downloads and extracts the packages; false if that is not possible.
fn extract_packages(root: &Path) -> Result<bool> {
    let archives = project_root().join(FOLDER).join("archives");
    fs::create_dir_all(archives.join("partial")).context("cannot create the folder of the packages")?;
    let cache = format!("Dir::Cache::archives={}", archives.display());
    // Only downloads what is not installed, so it needs no lock of the system.
    let options = ["install", "--download-only", "--yes", "-qq", "--no-install-recommends"];
    let settings = ["-o", "Debug::NoLocking=1", "-o", "Dir::Cache::pkgcache=", "-o", &cache];
    if shell::run(".", "apt-get", &[&options[..], &settings, &PACKAGES].concat()).is_err() {
        return Ok(false);
    }
    for archive in fs::read_dir(&archives)?.flatten().map(|entry| entry.path()) {
        if archive.extension().is_some_and(|extension| extension == "deb") {
            let (archive, root) = (shell::path_text(&archive)?, shell::path_text(root)?);
            shell::run(".", "dpkg", &["--extract", archive, root])?;
        }
    }
    Ok(root.join("usr/bin/rustc").is_file())
}
