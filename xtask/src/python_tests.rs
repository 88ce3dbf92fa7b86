//! The lints and the tests of the Python package, with tools that are installed in an environment below `target`.

use std::path::PathBuf;

use anyhow::Result;

use crate::project::project_root;
use crate::{shell, skipped, wheel};

/// Pins what is installed.
const REQUIREMENTS: &str = "tests/python/requirements.txt";

const CHECKS: [&[&str]; 4] = [
    &["ruff", "check", "--quiet"],
    &["ruff", "format", "--check", "--quiet"],
    &["mypy"],
    &["pytest", "--quiet", "--numprocesses", "2"],
];

/// Runs them. The program must be built with the profile `dev` before.
pub(crate) fn run() -> Result<()> {
    let Some(python) = python_with_tools()? else { return Ok(()) };
    let program =
        project_root().join("target/debug").join(format!("warplens{}", std::env::consts::EXE_SUFFIX));
    for check in CHECKS {
        shell::command(".", shell::path_text(&python)?, &[&["-m"], check].concat())
            .env("WARPLENS", &program)
            .run()?;
    }
    Ok(())
}

/// An interpreter that has the tools, and Triton where there is a package of it. If they cannot be installed, the tests are skipped.
fn python_with_tools() -> Result<Option<PathBuf>> {
    const WHAT: &str = "the tests of the Python package";
    if wheel::python().is_none() {
        skipped::note(WHAT, "Python 3 was not found");
        return Ok(None);
    }
    let python = wheel::program(&wheel::environment("target/python/tests", false)?, "python");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
    match shell::run(".", shell::path_text(&python)?, &install) {
        Ok(()) => Ok(Some(python)),
        Err(error) => {
            skipped::note(WHAT, &format!("what they need could not be installed: {error:#}"));
            Ok(None)
        }
    }
}
