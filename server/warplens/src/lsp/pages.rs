//! The pages of diagnostics as files, so that a diagnostic can link to its page and any client can open it.
//!
//! The program carries the pages and needs no network and no folder beside it. They are written once a version, into
//! the folder that the system has for what can be made again. Where that is not possible, diagnostics have no link.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tower_lsp::ls_types::Uri;

/// The folder of the pages.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = caches()?.join("warplens").join(env!("CARGO_PKG_VERSION")).join("diagnostics");
    let written = write(&folder);
    written.inspect_err(|error| tracing::info!("no pages in {}: {error}", folder.display())).ok()?;
    Some(folder)
});

/// The page of a diagnostic.
pub(super) fn of(code: &str) -> Option<Uri> {
    warplens_ide::code(code)?;
    Uri::from_file_path(FOLDER.as_ref()?.join(format!("{code}.md")))
}

fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for code in warplens_ide::codes() {
        let path = folder.join(format!("{}.md", code.name));
        // Another server of the same version may read them at this moment.
        if std::fs::read(&path).ok().as_deref() != Some(code.page.as_bytes()) {
            std::fs::write(&path, code.page)?;
        }
    }
    Ok(())
}

/// The folder for what can be made again.
fn caches() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match std::env::consts::OS {
        "windows" => variable("LOCALAPPDATA"),
        "macos" => Some(variable("HOME")?.join("Library/Caches")),
        _ => variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_written_as_it_is() {
        let folder = std::env::temp_dir().join(format!("warplens-pages-{}", std::process::id()));
        for _ in 0..2 {
            write(&folder).expect("a folder can be made");
            for code in warplens_ide::codes() {
                let page = std::fs::read_to_string(folder.join(format!("{}.md", code.name)));
                assert_eq!(page.ok().as_deref(), Some(code.page), "{}", code.name);
            }
        }
        std::fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
