//! Writes the documentation pages of diagnostics and findings to files, so that a diagnostic can link to its page.
//!
//! The pages are compiled into the program. Each version writes them once, to the cache folder of the user. If that fails, diagnostics
//! have no link.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ls_types::Uri;
use warplens_ide::{Origin, codes};
use warplens_sim_warp::FindingKind;

use warplens_system::disk::new_file::{self, create_folder};
use warplens_system::disk::read_file;

/// The folder of the pages, with a subfolder for each origin.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let product = cache_folder()?.join("warplens");
    let folder = product.join(env!("CARGO_PKG_VERSION"));
    let written = create_folder(&product).map_err(io::Error::from).and_then(|()| write(&folder));
    written
        .inspect_err(|error| {
            tracing::info!("cannot write documentation pages to {}: {error}", folder.display())
        })
        .ok()?;
    Some(folder)
});

/// The page of a diagnostic.
pub(crate) fn of(origin: Origin, code: &str) -> Option<Uri> {
    match origin {
        Origin::Text => warplens_ide::code(code).map(|_| ())?,
        Origin::Run => FindingKind::named(code).map(|_| ())?,
    }
    Uri::from_file_path(FOLDER.as_ref()?.join(name(origin, code)))
}

/// The path of a page in the folder.
fn name(origin: Origin, code: &str) -> PathBuf {
    let folder = match origin {
        Origin::Text => "diagnostics",
        Origin::Run => "findings",
    };
    Path::new(folder).join(format!("{code}.md"))
}

/// All pages, with their paths in the folder.
fn all() -> impl Iterator<Item = (PathBuf, &'static str)> {
    let diagnostics = codes().iter().map(|code| (name(Origin::Text, code.name), code.page));
    diagnostics.chain(FindingKind::all().map(|kind| (name(Origin::Run, kind.name()), kind.page())))
}

fn write(folder: &Path) -> io::Result<()> {
    create_folder(folder)?;
    for origin in ["diagnostics", "findings"] {
        create_folder(&folder.join(origin))?;
    }
    for (path, page) in all() {
        let path = folder.join(path);
        let written = read_file::read(&path, page.len() as u64);
        // Unchanged pages are not written again, because another server of the same version may be reading them.
        if written.ok().as_deref() != Some(page.as_bytes())
            && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        {
            new_file::write(folder, Path::new(name), page.as_bytes())?;
        }
    }
    Ok(())
}

fn cache_folder() -> Option<PathBuf> {
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
    fn every_page_is_written_unchanged() {
        let folder = std::env::temp_dir().join(format!("warplens-pages-{}", std::process::id()));
        for _ in 0..2 {
            write(&folder).expect("a writable folder");
            for (path, page) in all() {
                let written = std::fs::read_to_string(folder.join(&path));
                assert_eq!(written.ok().as_deref(), Some(page), "{}", path.display());
            }
        }
        std::fs::remove_dir_all(&folder).expect("a writable folder");
    }
}
