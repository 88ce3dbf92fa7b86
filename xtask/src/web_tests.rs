//! The tests of the page: those of its parts, and those of the whole in Chromium and Firefox.

use anyhow::{Result, bail};

use crate::project::PAGE;
use crate::{extension, shell, web};

const FOLDER: &str = "tests/web";
const BROWSERS: [&str; 2] = ["firefox", "chrome"];

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
    let failed = shell::run_at_once(BROWSERS.map(|browser| (browser, test_in(browser))).into());
    if !failed.is_empty() {
        bail!("failed in {}", failed.join(" and "));
    }
    Ok(())
}

fn test_in(browser: &str) -> shell::Step {
    shell::command(FOLDER, "node", &["--test", "--test-reporter=spec", "page.test.mjs"])
        .env("WARPLENS_BROWSER", browser)
}
