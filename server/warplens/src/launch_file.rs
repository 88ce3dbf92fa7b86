//! Launch files on disk: which one speaks of a document, and the files that it names.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use warplens_ide::lanes::LaunchFile;
use warplens_sim::launch::Format;

/// What a launch file is called, the first that is there in a folder.
const NAMES: [&str; 2] = ["warplens.toml", "warplens.json"];

/// The nearest launch file at or above the folder of `document`.
pub(crate) fn nearest(document: &Path) -> Option<PathBuf> {
    let folder = absolute(document);
    let candidates = folder.ancestors().skip(1).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    candidates.into_iter().find(|path| path.is_file())
}

/// Reads the launch file at `path`, as it speaks of `document`.
pub(crate) fn read(path: &Path, document: &Path) -> Result<LaunchFile, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", for_people(path)))?;
    let format = if path.extension() == Some(OsStr::new("json")) { Format::Json } else { Format::Toml };
    Ok(LaunchFile {
        text: text.into(),
        format,
        path: for_people(path),
        document: from_folder(&folder_of(path), &absolute(document)),
    })
}

/// Gives the contents of files that a launch names, relative to its launch file (or to the document, where the launch stands
/// in the document or nowhere).
pub(crate) fn contents(base: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> + use<> {
    let folder = folder_of(base);
    move |name| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    }
}

/// The path as it is shortest from here.
fn for_people(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok());
    short.unwrap_or(path).display().to_string()
}

fn folder_of(path: &Path) -> PathBuf {
    absolute(path).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The path from the root, links resolved where it exists.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

/// The way from a folder to a file, with `/`.
fn from_folder(folder: &Path, file: &Path) -> String {
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
    fn the_way_from_a_folder_to_a_file() {
        let way = |folder: &str, file: &str| from_folder(Path::new(folder), Path::new(file));
        assert_eq!(way("/a/b", "/a/b/k.ptx"), "k.ptx");
        assert_eq!(way("/a/b", "/a/b/c/k.ptx"), "c/k.ptx");
        assert_eq!(way("/a/b", "/a/x/k.ptx"), "../x/k.ptx");
    }

    #[test]
    fn a_folder_without_launch_files_has_none_of_its_own() {
        let folder = std::env::temp_dir();
        let found = nearest(&folder.join("warplens-no-such-folder/k.ptx"));
        assert!(found.is_none_or(|path| !path.starts_with(folder.join("warplens-no-such-folder"))));
    }
}
