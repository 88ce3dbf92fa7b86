//! Launch files on disk: finds the one that applies to a document, and reads the files that it names.

mod document_name;

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use ls_types::Uri;
use warplens_ide::lanes::{DocumentName, HostFile, LaunchFile, LaunchFiles, LaunchProblem};
use warplens_sim_launch::{Format, launches as launches_in};
use warplens_sim_warp::Limits;
use warplens_tools::source::Launches;

use crate::files::source_files::{self, Search};
use warplens_system::disk::read_file;

/// The names of launch files, in the order of precedence in a folder.
const NAMES: [&str; 2] = ["warplens.toml", "warplens.json"];

/// The limit of a launch file in bytes. A launch needs many times the size of its text in memory.
const MAX_BYTES: u64 = 16 << 20;

/// The nearest launch file, in the folder of `document` or above it.
pub fn nearest(document: &Path) -> Option<PathBuf> {
    let folder = absolute(document);
    let candidates = folder.ancestors().skip(1).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    candidates.into_iter().find(|path| read_file::is_there(path))
}

/// The format of a launch file, by its name; `None` for the name of another file.
pub fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?;
    NAMES.contains(&name).then(|| written_as(path))
}

/// The format of a launch file with any name.
fn written_as(path: &Path) -> Format {
    if path.extension() == Some(OsStr::new("json")) { Format::Json } else { Format::Toml }
}

/// Reads the launch file at `path`, as it applies to `document`.
pub fn read(path: &Path, document: &Path) -> Result<LaunchFile> {
    let name = display_path(path);
    let bytes =
        read_file::read(path, MAX_BYTES).map_err(|error| anyhow!("{name}: cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        anyhow!("{name}: is not UTF-8: invalid byte at offset {}", error.utf8_error().valid_up_to())
    })?;
    Ok(of_text(text, written_as(path), name, &folder_of(path), document))
}

/// A launch file with this text, in which paths are relative to a folder.
pub fn of_text(text: String, format: Format, path: String, folder: &Path, document: &Path) -> LaunchFile {
    let (folder, document) = (folder.to_path_buf(), absolute(document));
    let document = DocumentName::new(move |file| document_name::is(file, &folder, &document));
    LaunchFile { text: text.into(), format, path, document }
}

/// The values of `file` in the launch file at `path`, without duplicates; empty if it is invalid.
pub fn files(path: &Path) -> Vec<String> {
    let Ok(file) = read(path, path) else { return Vec::new() };
    let listed = launches_in(&file.text, file.format).unwrap_or_default();
    let mut files: Vec<String> = Vec::new();
    for name in listed.into_iter().filter_map(|listed| listed.launch.file) {
        if !files.contains(&name) {
            files.push(name);
        }
    }
    files
}

/// Whether a `file` in the launch file at `path` names a document.
pub fn names(path: &Path, file: &str, document: &Path) -> bool {
    document_name::is(file, &folder_of(path), &absolute(document))
}

/// The problems of the launch file at `path`, each with the name of its launch.
pub fn problems(path: &Path) -> Result<Vec<(String, LaunchProblem)>> {
    let file = read(path, path)?;
    Ok(match launches_in(&file.text, file.format) {
        Ok(listed) => listed
            .into_iter()
            .filter_map(|listed| Some((listed.launch.name, file.problem(&listed.problem?))))
            .collect(),
        Err(problem) => vec![("launches".to_owned(), file.problem(&problem))],
    })
}

/// The launch file that applies to a document of an editor; `None` if the document is not a file.
pub fn of_uri(uri: &Uri) -> Result<Option<LaunchFile>> {
    if uri.scheme().as_str() != "file" {
        return Ok(None);
    }
    let document = path(uri);
    nearest(&document).map(|file| read(&file, &document)).transpose()
}

/// The path of a document of an editor.
pub fn path(uri: &Uri) -> PathBuf {
    uri.to_file_path().map_or_else(|| PathBuf::from(uri.path().as_str()), std::borrow::Cow::into_owned)
}

/// The URI of a file.
pub(crate) fn uri(path: &Path) -> Option<Uri> {
    // There, no path counts as absolute.
    #[cfg(target_family = "wasm")]
    return warplens_system::page::uri(path).parse().ok();
    #[cfg(not(target_family = "wasm"))]
    return Uri::from_file_path(path);
}

/// The launches of a launch file. The files that they name are relative to the folder of `base`: the launch file, or without one the
/// document.
pub fn launches(file: Option<LaunchFile>, base: &Path) -> Launches {
    Launches { files: LaunchFiles { file, hosts: Vec::new() }, read: Box::new(contents(base)) }
}

/// The host files of a document on disk that names these source files. Only files below the current folder, or in the document's, are read.
pub fn hosts(document: &Path, named: &[String]) -> Vec<HostFile> {
    let current = std::env::current_dir().into_iter().map(|folder| absolute(&folder)).collect();
    source_files::host_files(&Search::new(Some(absolute(document)), current), named)
}

/// Reads files that a launch names, relative to the folder of `base`.
pub fn contents(base: &Path) -> impl Fn(&str) -> Result<Vec<u8>, Box<dyn Error>> + use<> {
    let folder = folder_of(base);
    move |name| {
        let path = folder.join(name);
        let bytes = read_file::read(&path, Limits::default().max_memory);
        bytes.map_err(|error| format!("{} cannot be read: {error}", path.display()).into())
    }
}

/// The path of `file`, relative to the folder of `base`.
pub fn beside(base: &Path, file: &str) -> PathBuf {
    base.parent().unwrap_or(Path::new("")).join(file)
}

/// The path for messages: relative if it is below the current folder.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_has_no_launch_file() {
        let folder = std::env::temp_dir();
        let found = nearest(&folder.join("warplens-no-such-folder/k.ptx"));
        assert!(found.is_none_or(|path| !path.starts_with(folder.join("warplens-no-such-folder"))));
    }
}
