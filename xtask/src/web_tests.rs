//! The tests of the page: those of its parts, and those of the whole in Chromium and Firefox.

use anyhow::Result;

use crate::project::PAGE;
use crate::{extension, shell, web};

const FOLDER: &str = "tests/web";

pub(crate) fn run() -> Result<()> {
    if !extension::node_is_there() {
        return Ok(());
    }
    web::run()?;
    // The types of messages use those of the extension's language client.
    extension::install_tools()?;
    for script in ["check", "test:unit"] {
        extension::npm(PAGE, &["run", "--silent", script])?;
    }
    extension::install(FOLDER)?;
    shell::run(FOLDER, "node", &["--test", "--test-reporter=spec", "page.test.mjs"])
}
