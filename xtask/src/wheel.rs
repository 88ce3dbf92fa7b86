//! The Python wheel with the program and the Python package, built by maturin around a program that cargo has built already, and its test.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::project::project_root;
use crate::{notices, release_profile, shell, skipped};

/// Pins the release of maturin that is installed if none is on PATH.
const REQUIREMENTS: &str = "xtask/requirements.txt";

/// Builds the wheel for a profile of cargo and returns its path. The program must be built with that profile before, so that
/// nothing is compiled twice. Without Python or maturin it prints a message and returns `None`.
pub(crate) fn build(profile: &str, folder: &str) -> Result<Option<PathBuf>> {
    let Some(maturin) = maturin() else { return Ok(None) };
    let out = project_root().join(folder);
    wheels(&out)?.iter().try_for_each(fs::remove_file)?;
    let args = ["build", "--quiet", "--profile", profile, "--out", shell::path_text(&out)?];
    notices::write_for_wheel(&project_root())?;
    let maturin = shell::command(".", shell::path_text(&maturin)?, &args);
    release_profile::with_flags(maturin, profile)?.run()?;
    let wheel = wheels(&out)?.pop().context("maturin built no wheel")?;
    Ok(Some(wheel))
}

/// Installs the wheel in an empty environment, and runs the program and the package there.
pub(crate) fn check(wheel: &Path) -> Result<()> {
    let environment = environment("target/python/wheel", true)?;
    let install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", shell::path_text(wheel)?];
    let python = program(&environment, "python");
    shell::run(".", shell::path_text(&python)?, &install)?;
    let installed = program(&environment, "warplens");
    shell::run(".", shell::path_text(&installed)?, &["--version"])?;
    shell::run(".", shell::path_text(&installed)?, &["sim", "examples/divergence.ptx"])?;
    // Without Triton and any other package.
    shell::run(".", shell::path_text(&python)?, &["-c", "import warplens"])?;
    shell::run(".", shell::path_text(&python)?, &["-m", "warplens", "--help"])
}

/// maturin: the one on PATH, or one that is installed in an environment below `target`.
fn maturin() -> Option<PathBuf> {
    if shell::on_path("maturin") {
        return Some("maturin".into());
    }
    if python().is_none() {
        skipped::note("the Python wheel", "Python 3 was not found");
        return None;
    }
    let installed = install_maturin();
    installed
        .inspect_err(|error| {
            skipped::note("the Python wheel", &format!("maturin could not be installed: {error:#}"));
        })
        .ok()
}

fn install_maturin() -> Result<PathBuf> {
    let environment = environment("target/python/maturin", false)?;
    let maturin = program(&environment, "maturin");
    if !maturin.is_file() {
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
        shell::run(".", shell::path_text(&program(&environment, "python"))?, &install)?;
    }
    Ok(maturin)
}

/// A virtual environment, made again if `empty`.
pub(crate) fn environment(folder: &str, empty: bool) -> Result<PathBuf> {
    let python = python().context("Python 3 was not found")?;
    let environment = project_root().join(folder);
    if empty && environment.exists() {
        fs::remove_dir_all(&environment)?;
    }
    if !program(&environment, "python").exists() {
        shell::run(".", python, &["-m", "venv", shell::path_text(&environment)?])?;
    }
    Ok(environment)
}

pub(crate) fn python() -> Option<&'static str> {
    ["python3", "python"].into_iter().find(|name| shell::on_path(name))
}

pub(crate) fn program(environment: &Path, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect())
}
