//! Launch files on disk: the one that applies to a document, and the files that it names.

use std::error::Error;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::LaunchFile;
use warplens_sim::launch::Format;

/// The names of launch files, in the order of precedence in a folder.
const NAMES: [&str; 2] = ["warplens.toml", "warplens.json"];

/// A launch file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot be read: {error}")]
pub(crate) struct Unreadable {
    path: String,
    error: io::Error,
}

/// A file that a launch names cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {error}", path.display())]
pub(crate) struct UnreadableContents {
    path: PathBuf,
    error: io::Error,
}

/// The nearest launch file in the folder of `document` or above it.
pub(crate) fn nearest(document: &Path) -> Option<PathBuf> {
    let folder = absolute(document);
    let candidates = folder.ancestors().skip(1).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    candidates.into_iter().find(|path| path.is_file())
}

/// Reads the launch file at `path`, as it applies to `document`.
pub(crate) fn read(path: &Path, document: &Path) -> Result<LaunchFile, Unreadable> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Unreadable { path: display_path(path), error })?;
    let format = if path.extension() == Some(OsStr::new("json")) { Format::Json } else { Format::Toml };
    Ok(LaunchFile {
        text: text.into(),
        format,
        path: display_path(path),
        document: relative(&folder_of(path), &absolute(document)),
    })
}

/// The launch file that applies to a document of an editor, if the document is a file.
pub(crate) fn of_uri(uri: &Uri) -> Result<Option<LaunchFile>, Unreadable> {
    if uri.scheme().as_str() != "file" {
        return Ok(None);
    }
    let document = path(uri);
    nearest(&document).map(|file| read(&file, &document)).transpose()
}

/// The path of a document of an editor.
pub(crate) fn path(uri: &Uri) -> PathBuf {
    uri.to_file_path().map_or_else(|| PathBuf::from(uri.path().as_str()), std::borrow::Cow::into_owned)
}

/// Reads files that a launch names, relative to its launch file, or to the document for a launch without a launch file.
pub(crate) fn contents(base: &Path) -> impl Fn(&str) -> Result<Vec<u8>, Box<dyn Error>> + use<> {
    let folder = folder_of(base);
    move |name| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| UnreadableContents { path, error }.into())
    }
}

/// The path for messages, relative to the current folder if below it.
fn display_path(path: &Path) -> String {
    let current = std::env::current_dir().ok();
    let short = current.and_then(|current| path.strip_prefix(current).ok());
    short.unwrap_or(path).display().to_string()
}

fn folder_of(path: &Path) -> PathBuf {
    absolute(path).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The absolute path, with symbolic links resolved if it exists.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

/// The relative path from a folder to a file, with `/`.
fn relative(folder: &Path, file: &Path) -> String {
    let (folder, file): (Vec<Component<'_>>, Vec<_>) =
        (folder.components().collect(), file.components().collect());
    let shared = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = folder[shared..].iter().map(|_| "..".to_owned());
    let down = file[shared..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths() {
        let relative_path = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        assert_eq!(relative_path("/a/b", "/a/b/k.ptx"), "k.ptx");
        assert_eq!(relative_path("/a/b", "/a/b/c/k.ptx"), "c/k.ptx");
        assert_eq!(relative_path("/a/b", "/a/x/k.ptx"), "../x/k.ptx");
    }

    #[test]
    fn a_missing_folder_has_no_launch_file() {
        let folder = std::env::temp_dir();
        let found = nearest(&folder.join("warplens-no-such-folder/k.ptx"));
        assert!(found.is_none_or(|path| !path.starts_with(folder.join("warplens-no-such-folder"))));
    }
}
