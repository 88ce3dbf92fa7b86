//! The tests of the page: those of its parts, and those of the whole in Chromium and Firefox.

use anyhow::Result;

use crate::{extension, shell, skipped};

/// The sources of the page.
const PAGE: &str = "editors/web";
const FOLDER: &str = "tests/web";
/// The language server of the page.
const MODULE: &str = "dist/web/warplens.wasm";

pub(crate) fn run() -> Result<()> {
    if !extension::node_is_there() {
        return Ok(());
    }
    extension::install(PAGE)?;
    for script in ["check", "test:unit", "build"] {
        extension::npm(PAGE, &["run", "--silent", script])?;
    }
    if !crate::project::project_root().join(MODULE).is_file() {
        skipped::note("the page in browsers", "its server was not built");
        return Ok(());
    }
    extension::install(FOLDER)?;
    shell::run(FOLDER, "node", &["--test", "--test-reporter=spec", "page.test.mjs"])
}
