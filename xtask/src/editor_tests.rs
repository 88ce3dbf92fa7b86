//! The tests of the packed extension in a real VS Code.
//!
//! Two files run at once on two cores, which one file does not fill; each has its own VS Code, browser, port and folders. VS Code loads in
//! its own time, so a test may lose a race that no wait of ours can see. A file that fails is run a second time, alone, and the summary
//! names it: a fault of the extension fails twice.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{dist, extension, shell};

const FOLDER: &str = "tests/vscode";
/// The longest first, so that the last files end at about the same time.
const FILES: [&str; 11] = [
    "strip.test.mjs",
    "acceptance.test.mjs",
    "extension.test.mjs",
    "panel.test.mjs",
    "picture.test.mjs",
    "panel_states.test.mjs",
    "machine_code.test.mjs",
    "debug.test.mjs",
    "python.test.mjs",
    "browser.test.mjs",
    "inline.test.mjs",
];

pub(crate) fn run() -> Result<()> {
    if !extension::node_is_there() {
        return Ok(());
    }
    extension::install_tools()?;
    extension::check()?;
    let package = extension::pack(&dist::build_server("dev")?)?;
    extension::install(FOLDER)?;
    shell::run(FOLDER, "node", &["install.mjs"])?;
    let failed_once = shell::run_at_once(FILES.map(|file| (file, test_of(file, &package))).into());
    for file in &failed_once {
        println!("=== {file} failed; it runs a second time");
        test_of(file, &package).run().with_context(|| format!("{file} failed twice"))?;
    }
    if !failed_once.is_empty() {
        println!("passed only in their second run: {}", failed_once.join(", "));
    }
    Ok(())
}

fn test_of(file: &str, package: &Path) -> shell::Step {
    shell::command(FOLDER, "node", &["--test", "--test-reporter=spec", file]).env("WARPLENS_VSIX", package)
}
