//! Measurements. The measuring programs are in `tests/bench` and `tests/measure`, so that xtask stays small and always builds.

use anyhow::Result;

use crate::{dist, shell};

/// Builds the server as it is shipped and the measuring program in release, and runs the latter with `args`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let server = dist::build_server(dist::PROFILE)?;
    shell::command(".", "cargo", &release("warplens-bench", args)).env("WARPLENS_SERVER", server).run()
}

/// Builds the program that compares verdicts with the assembler's, and runs it with `args`.
pub(crate) fn measure(args: &[String]) -> Result<()> {
    shell::command(".", "cargo", &release("warplens-measure", args)).run()
}

fn release<'a>(package: &'a str, args: &'a [String]) -> Vec<&'a str> {
    let cargo = ["run", "--quiet", "--release", "--package", package, "--"];
    cargo.into_iter().chain(args.iter().map(String::as_str)).collect()
}
