//! The first look: build, print two kernels with their lanes, and hand the extension to VS Code if it is there.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{dist, extension, project_root, shell};

/// Runs the demo.
pub(crate) fn run() -> Result<()> {
    let server = dist::build_server("release")?;
    for example in ["examples/divergence.ptx", "examples/divergence.wave"] {
        println!("\n$ warplens sim {example}\n");
        shell::run(".", path_text(&server)?, &["sim", example])?;
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
    shell::run(".", "code", &["--install-extension", path_text(&package)?])?;
    shell::run(".", "code", &[path_text(&project_root().join("examples"))?])
}

fn other_editors(server: &Path) -> Result<()> {
    println!("Any other editor with a language client: attach `{} lsp` (docs/editors.md)", server.display());
    Ok(())
}

fn path_text(path: &Path) -> Result<&str> {
    path.to_str().context("the path of the project is not valid UTF-8")
}
