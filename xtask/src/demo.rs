//! The demo: build, print two kernels with their lanes, and install the extension if VS Code is installed, or serve VS Code with
//! the extension to a browser.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::project::project_root;
use crate::{dist, extension, shell};

/// Runs the demo, in a browser if `web`.
pub(crate) fn run(web: bool) -> Result<()> {
    let server = dist::build_server("release")?;
    if web {
        return serve(&server);
    }
    for example in ["examples/divergence.ptx", "examples/divergence.wave"] {
        println!("\n$ warplens sim {example}\n");
        shell::run(".", shell::path_text(&server)?, &["sim", example])?;
    }
    println!();
    if !extension::node_is_there() {
        return other_editors(&server);
    }
    extension::install_tools()?;
    let package = extension::pack(&server)?;
    if !shell::on_path("code") {
        println!(
            "VS Code's `code` is not on PATH; install with: code --install-extension {}",
            package.display()
        );
        return other_editors(&server);
    }
    shell::run(".", "code", &["--install-extension", shell::path_text(&package)?])?;
    shell::run(".", "code", &[shell::path_text(&project_root().join("examples"))?])
}

/// Serves VS Code with the extension to a browser, until it is interrupted.
fn serve(server: &PathBuf) -> Result<()> {
    if !extension::node_is_there() {
        bail!("`cargo xtask demo --web` needs Node.js 20 or newer");
    }
    extension::install_tools()?;
    let package = extension::pack(server)?;
    extension::install("tests/vscode")?;
    shell::command("tests/vscode", "node", &["demo.mjs"]).env("WARPLENS_VSIX", package).run()
}

fn other_editors(server: &Path) -> Result<()> {
    println!("Any other editor with a language client: run `{} lsp` (docs/editors.md)", server.display());
    Ok(())
}
