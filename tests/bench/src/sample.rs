//! The file that is measured: the one named on the command line, or else the largest of the corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The text of `file`, or else of the largest PTX file in the corpus. Without a corpus, prints a message and
/// returns `None`.
pub(crate) fn text(file: Option<PathBuf>) -> Result<Option<String>> {
    if let Some(file) = file {
        return Ok(Some(
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?,
        ));
    }
    let folder = root().join("../shared/corpus/ptx/big");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: corpus not found (name a .ptx file to measure it instead)");
        return Ok(None);
    };
    let packed = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "gz"));
    Ok(Some(unpack(&packed.context("the corpus has no packed file")?)?))
}

fn unpack(packed: &Path) -> Result<String> {
    let output = Command::new("gzip").arg("-dc").arg(packed).output().context("cannot run gzip")?;
    if !output.status.success() {
        bail!("gzip cannot unpack {}", packed.display());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// `text` up to the end of the last function that ends within `bytes`.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let end = bytes.min(text.len());
    let end = (0..=end).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    match text[..end].rfind("\n}\n") {
        Some(brace) => &text[..brace + 3],
        None => &text[..end],
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the bench lies in the workspace")
        .to_path_buf()
}

/// The server in release, as built by `cargo xtask bench`.
pub(crate) fn server() -> Result<PathBuf> {
    std::env::var_os("WARPLENS_SERVER").map(PathBuf::from).context("run this as `cargo xtask bench …`")
}
