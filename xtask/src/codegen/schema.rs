//! The JSON schema of launch files, published with the extension.
//!
//! The model of a launch is in `warplens-sim`, which depends on generated code; so the schema comes from a program of that
//! crate, built once the code is generated, and xtask does not depend on what it generates.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Mode, ensure_file_contents};

const PATH: &str = "editors/vscode/schemas/warplens.schema.json";

pub(crate) fn run(mode: Mode) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(crate::project::project_root())
        .args(["run", "--quiet", "--package", "warplens-sim", "--features", "schema"])
        .args(["--example", "launch_schema"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("the schema of launch files could not be made: see above");
    }
    ensure_file_contents(PATH, &String::from_utf8(output.stdout)?, mode)
}
