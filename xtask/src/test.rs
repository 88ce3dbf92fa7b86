//! Everything that has to hold before a change lands, in the order in which it is cheapest to find out.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::codegen::{self, Mode};
use crate::{debian, dist, extension, shell, tidy};

/// One thing that must hold, by the name it is announced under.
type Check = (&'static str, fn() -> Result<()>);

const CHECKS: [Check; 8] = [
    ("formatting", formatting),
    ("generated files", || codegen::run(Mode::Check)),
    ("tidiness", tidy::run),
    ("lints", lints),
    ("programs that the editor tests drive", debian::ensure_programs),
    ("tests", tests),
    ("documentation", documentation),
    ("the extension, in a real VS Code", editor),
];

/// Runs every check; the first that fails ends the run.
pub(crate) fn run() -> Result<()> {
    let all = Instant::now();
    for (name, check) in CHECKS {
        println!("\n=== {name}");
        let start = Instant::now();
        check().with_context(|| format!("{name}: does not hold"))?;
        println!("=== {name}: holds ({:.0?})", start.elapsed());
    }
    println!("\nEverything holds ({:.0?}).", all.elapsed());
    Ok(())
}

fn formatting() -> Result<()> {
    shell::run(".", "cargo", &["fmt", "--all", "--check"])
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

fn editor() -> Result<()> {
    if !extension::node_is_there() {
        return Ok(());
    }
    extension::install_tools()?;
    extension::check()?;
    let package = extension::pack(&dist::build_server("dev")?)?;
    shell::run("tests/vscode", "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
    shell::command("tests/vscode", "node", &["--test", "--test-reporter=spec", "extension.test.mjs"])
        .env("WARPLENS_VSIX", package)
        .run()
}
