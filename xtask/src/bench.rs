//! Measurements. The measuring programs are in `tests/bench` and `tests/measure`, so that xtask stays small and always builds.

use anyhow::Result;

use crate::release_profile::{PROFILE, with_flags};
use crate::{dist, shell};

/// Builds the server and the measuring program as they are shipped, and runs the latter with `args`: some measurements run in its process.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let server = dist::build_server(PROFILE)?;
    let bench = shell::command(".", "cargo", &program("warplens-bench", PROFILE, args));
    with_flags(bench, PROFILE)?.env("WARPLENS_SERVER", server).run()
}

/// Builds the program that compares verdicts with the assembler's, and runs it with `args`.
pub(crate) fn measure(args: &[String]) -> Result<()> {
    shell::command(".", "cargo", &program("warplens-measure", "release", args)).run()
}

fn program<'a>(package: &'a str, profile: &'a str, args: &'a [String]) -> Vec<&'a str> {
    let cargo = ["run", "--quiet", "--profile", profile, "--package", package, "--"];
    cargo.into_iter().chain(args.iter().map(String::as_str)).collect()
}
