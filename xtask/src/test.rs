//! All checks of a change, the cheapest first.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::codegen::{self, Mode};
use crate::{debian, dist, editor_tests, shell, tidy, wheel};

/// A check and its name.
type Check = (&'static str, fn() -> Result<()>);

const CHECKS: [Check; 13] = [
    ("formatting", formatting),
    ("generated files", || codegen::run(Mode::Check)),
    ("tidiness", tidy::run),
    ("spelling", typos),
    ("workflows", actionlint),
    ("lints", lints),
    ("dependencies", deny),
    ("package metadata", packages),
    ("programs that the editor tests drive", debian::ensure_programs),
    ("tests", tests),
    ("documentation", documentation),
    ("the Python wheel", python),
    ("the extension, in a real VS Code", editor_tests::run),
];

/// Runs every check; the first that fails ends the run.
pub(crate) fn run() -> Result<()> {
    let all = Instant::now();
    for (name, check) in CHECKS {
        println!("\n=== {name}");
        let start = Instant::now();
        check().with_context(|| format!("{name}: failed"))?;
        println!("=== {name}: passed ({:.0?})", start.elapsed());
    }
    println!("\nAll checks passed ({:.0?}).", all.elapsed());
    Ok(())
}

fn formatting() -> Result<()> {
    shell::run(".", "cargo", &["fmt", "--all", "--check"])
}

fn typos() -> Result<()> {
    optional("typos", &[])
}

fn actionlint() -> Result<()> {
    optional("actionlint", &[])
}

fn deny() -> Result<()> {
    optional("cargo-deny", &["--all-features", "check", "--disable-fetch", "bans", "licenses", "sources"])
}

/// Runs a tool that not every machine has.
fn optional(tool: &str, args: &[&str]) -> Result<()> {
    if !shell::on_path(tool) {
        println!("skipped: {tool} was not found");
        return Ok(());
    }
    shell::run(".", tool, args)
}

/// `cargo package` accepts the metadata of every crate.
fn packages() -> Result<()> {
    shell::run(
        ".",
        "cargo",
        &["package", "--workspace", "--allow-dirty", "--no-verify", "--offline", "--quiet"],
    )
}

fn lints() -> Result<()> {
    shell::run(".", "cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
}

fn tests() -> Result<()> {
    if shell::on_path("cargo-nextest") {
        return shell::run(".", "cargo", &["nextest", "run", "--workspace", "--no-fail-fast"]);
    }
    shell::run(".", "cargo", &["test", "--workspace", "--no-fail-fast", "--quiet"])
}

fn documentation() -> Result<()> {
    shell::command(".", "cargo", &["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn python() -> Result<()> {
    dist::build_server("dev")?;
    match wheel::build("dev", "target/python/dist")? {
        Some(wheel) => wheel::check(&wheel),
        None => Ok(()),
    }
}
