//! Builds the page with the language server as a WebAssembly module: `dist/web/`. docs/web.md says what is in it.

mod compiler;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::project::{PAGE, PAGE_OUT as OUT, project_root};
use crate::{extension, shell, skipped};
use compiler::{Compiler, TARGET};

/// The profile of the module, and the folder of its build, which other builds do not wait for.
const PROFILE: &str = "web";
const BUILD: &str = "target/web";

/// Builds everything.
pub(crate) fn run() -> Result<()> {
    build_server()?;
    build_page()
}

/// Builds the server, and compares it with the native one, which must be built with the profile `dev` before.
pub(crate) fn test() -> Result<()> {
    if !extension::node_is_there() {
        return Ok(());
    }
    match Compiler::find() {
        Ok(compiler) => build_server_with(&compiler)?,
        Err(reason) => {
            skipped::note("the server as WebAssembly", &format!("{reason:#}"));
            return Ok(());
        }
    }
    shell::run("tests/web", "node", &["--test", "--test-reporter=spec", "server.test.mjs"])
}

/// Builds `warplens.wasm` and `server.js`.
fn build_server() -> Result<()> {
    build_server_with(&Compiler::find()?)
}

fn build_server_with(compiler: &Compiler) -> Result<()> {
    let build =
        ["build", "--profile", PROFILE, "--target", TARGET, "-p", "warplens-web", "--target-dir", BUILD];
    compiler.cargo(&build).run()?;
    let root = project_root();
    let out = root.join(OUT);
    fs::create_dir_all(&out).with_context(|| format!("cannot create {OUT}"))?;
    let module = root.join(BUILD).join(TARGET).join(PROFILE).join("warplens_web.wasm");
    optimize(&module, &out.join("warplens.wasm"))?;
    fs::copy(root.join("server/web/server.js"), out.join("server.js")).context("cannot copy server.js")?;
    Ok(())
}

/// Makes the module smaller where `wasm-opt` is on PATH and knows the features that the compiler used.
fn optimize(module: &Path, optimized: &Path) -> Result<()> {
    if shell::on_path("wasm-opt") {
        let (module, optimized) = (shell::path_text(module)?, shell::path_text(optimized)?);
        let run = shell::run(".", "wasm-opt", &["--all-features", "-O3", "--output", optimized, module]);
        match run {
            Ok(()) => return Ok(()),
            Err(error) => println!("the module is not optimized further: {error:#}"),
        }
    }
    fs::copy(module, optimized).context("cannot copy the module")?;
    Ok(())
}

/// Builds the page, and copies what it consists of.
fn build_page() -> Result<()> {
    let root = project_root();
    if !root.join(PAGE).join("package.json").is_file() {
        return Ok(());
    }
    if !extension::node_is_there() {
        skipped::note("the page", "Node was not found");
        return Ok(());
    }
    extension::install(PAGE)?;
    shell::run(PAGE, "npm", &["run", "--silent", "build"])?;
    copy(&root.join(PAGE).join("out"), &root.join(OUT))?;
    // The service worker lists all files, those of the server too.
    shell::run(PAGE, "node", &["offline.mjs", shell::path_text(&root.join(OUT))?])
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}
