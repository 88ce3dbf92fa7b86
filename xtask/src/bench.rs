//! Measurements. The programs that measure live in `tests/bench`, so that this one stays small and always builds.

use anyhow::Result;

use crate::{dist, shell};

/// Builds the server and the measuring program in release, and runs the latter with `args`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let server = dist::build_server("release")?;
    let cargo = ["run", "--quiet", "--release", "--package", "warplens-bench", "--"];
    let args: Vec<&str> = cargo.into_iter().chain(args.iter().map(String::as_str)).collect();
    shell::command(".", "cargo", &args).env("WARPLENS_SERVER", server).run()
}
