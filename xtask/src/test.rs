//! The checks of a change, the cheapest first: all of them, or the fast ones.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::codegen::{self, Mode};
use crate::{debian, dist, editor_tests, python_tests, shell, skipped, tidy, web, web_tests, wheel};

/// A check and its name.
type Check = (&'static str, fn() -> Result<()>);

/// Those of `--fast`, for the time while one edits.
const FAST: [Check; 4] = [
    ("formatting", formatting),
    ("generated files", || codegen::run(Mode::Check)),
    ("tidiness", tidy::run),
    ("tests without editors", || tests(&["--skip", "a_session_in_"])),
];

/// The cheapest first.
const ALL: [Check; 15] = [
    ("formatting", formatting),
    ("generated files", || codegen::run(Mode::Check)),
    ("tidiness", tidy::run),
    ("spelling", || optional("typos", &[])),
    ("workflows", || optional("actionlint", &[])),
    ("lints", lints),
    ("dependencies", deny),
    ("package metadata", packages),
    ("programs that the editor tests drive", debian::ensure_programs),
    ("tests", || tests(&[])),
    ("documentation", documentation),
    ("the Python package and its wheel", python),
    ("the server as WebAssembly", web::test),
    ("the page, in browsers", web_tests::run),
    ("the extension, in a real VS Code", editor_tests::run),
];

/// Runs the checks; the first that fails ends the run.
pub(crate) fn run(fast: bool) -> Result<()> {
    let all = Instant::now();
    skipped::clear();
    (if fast { &FAST[..] } else { &ALL[..] }).iter().try_for_each(run_check)?;
    println!("\n{}", skipped::summary());
    println!("{} checks passed ({:.0?}).", if fast { "The fast" } else { "All" }, all.elapsed());
    Ok(())
}

/// Runs the check of this name.
pub(crate) fn run_only(name: &str) -> Result<()> {
    let Some(check) = ALL.iter().find(|check| check.0 == name) else {
        bail!("there is no check `{name}`: write one of\n{}", ALL.map(|check| check.0).join("\n"));
    };
    run_check(check)
}

fn run_check(&(name, check): &Check) -> Result<()> {
    println!("\n=== {name}");
    let start = Instant::now();
    check().with_context(|| format!("{name}: failed"))?;
    println!("=== {name}: passed ({:.0?})", start.elapsed());
    Ok(())
}

fn formatting() -> Result<()> {
    shell::run(".", "cargo", &["fmt", "--all", "--check"])
}

fn deny() -> Result<()> {
    optional("cargo-deny", &["--all-features", "check", "--disable-fetch", "bans", "licenses", "sources"])
}

/// Runs a tool that not every machine has.
fn optional(tool: &str, args: &[&str]) -> Result<()> {
    if !shell::on_path(tool) {
        skipped::note(tool, "not found");
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

/// Runs the tests of all crates. `options` are those of test programs, which nextest accepts too.
fn tests(options: &[&str]) -> Result<()> {
    let command: &[&str] =
        if shell::on_path("cargo-nextest") { &["nextest", "run"] } else { &["test", "--quiet"] };
    shell::run(".", "cargo", &[command, &["--workspace", "--no-fail-fast", "--"], options].concat())
}

fn documentation() -> Result<()> {
    shell::command(".", "cargo", &["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

fn python() -> Result<()> {
    dist::build_server("dev")?;
    if let Some(wheel) = wheel::build("dev", "target/python/dist")? {
        wheel::check(&wheel)?;
    }
    python_tests::run()
}
