//! The checkout: its folder and its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The sources of the page, and where it is built.
pub(crate) const PAGE: &str = "editors/web";
pub(crate) const PAGE_OUT: &str = "dist/web";

/// The folder of the workspace's Cargo.toml.
pub(crate) fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1).expect("xtask is in the workspace").to_path_buf()
}

/// The text of a file, whose path is relative to the root.
pub(crate) fn read(path: &str) -> Result<String> {
    fs::read_to_string(project_root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// The files below some folders that end so, without what was built or installed there.
pub(crate) fn files(mut folders: Vec<PathBuf>, end: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir()
                && !["node_modules", "target", ".git"].iter().any(|skipped| path.ends_with(skipped))
            {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == end) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The path of a file relative to the root, with `/` between its parts.
pub(crate) fn relative(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/")
}
