//! The demo: build, print two kernels with their lanes, and install the extension if VS Code is installed.

use std::path::Path;

use anyhow::Result;

use crate::project::project_root;
use crate::{dist, extension, shell};

/// Runs the demo.
pub(crate) fn run() -> Result<()> {
    let server = dist::build_server("release")?;
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

fn other_editors(server: &Path) -> Result<()> {
    println!("Any other editor with a language client: run `{} lsp` (docs/editors.md)", server.display());
    Ok(())
}
