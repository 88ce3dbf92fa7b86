//! Writes the files of an output folder, such as the result of a reduction, and opens the log.
//!
//! No link is followed: a workspace that prepared one could direct the output to any file of the user. For the same reason, a file with
//! other names (hard links), a pipe or a device is not written to.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A path is not written to.
#[derive(Debug, Error)]
#[error("{}: {why}", path.display())]
pub struct OutputError {
    path: PathBuf,
    why: Why,
}

#[derive(Debug, Error)]
enum Why {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("is a link, which is not followed")]
    Link,
    #[error("has other names (hard links), whose contents would change too")]
    OtherNames,
    #[error("is not a regular file")]
    NotRegular,
    #[error("is not a folder")]
    NotFolder,
}

impl Why {
    fn at(self, path: &Path) -> OutputError {
        OutputError { path: path.to_path_buf(), why: self }
    }
}

impl From<OutputError> for io::Error {
    fn from(error: OutputError) -> io::Error {
        io::Error::other(error)
    }
}

/// Checks that an output folder can be used: there is none yet, or it is a folder and no link leads to it.
pub fn check_folder(folder: &Path) -> Result<(), OutputError> {
    check_links(folder)?;
    match folder.symlink_metadata() {
        Ok(metadata) if !metadata.is_dir() => Err(Why::NotFolder.at(folder)),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Why::Io(error).at(folder)),
        _ => Ok(()),
    }
}

/// Creates an output folder, unless it is there.
pub fn create_folder(folder: &Path) -> Result<(), OutputError> {
    check_folder(folder)?;
    std::fs::create_dir_all(folder).map_err(|error| Why::Io(error).at(folder))?;
    check_folder(folder)
}

/// Whether there is a file at a path in an output folder. Anything there that is not written to is an error.
pub fn is_there(path: &Path) -> Result<bool, OutputError> {
    match path.symlink_metadata() {
        Ok(metadata) => check_file(&metadata).map(|()| true).map_err(|why| why.at(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Why::Io(error).at(path)),
    }
}

/// Writes a file of an output folder, in place of one that is there. It appears when it is complete.
pub fn write(folder: &Path, name: &Path, contents: &[u8]) -> Result<PathBuf, OutputError> {
    let path = folder.join(name);
    check_folder(folder)?;
    let is_there = is_there(&path)?;
    write_beside(folder, contents)
        .and_then(|new| {
            let written = if is_there { new.persist(&path) } else { new.persist_noclobber(&path) };
            written.map_err(|failed| failed.error)
        })
        .map_err(|error| Why::Io(error).at(&path))?;
    Ok(path)
}

fn write_beside(folder: &Path, contents: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warplens-");
    // The default is a file that only its owner can read.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut new = builder.tempfile_in(folder)?;
    new.write_all(contents)?;
    Ok(new)
}

/// Opens the log, whose lines are appended. It may also be a device, such as `/dev/null`: a workspace cannot contain one.
pub fn append(path: &Path) -> Result<File, OutputError> {
    check_links(path)?;
    let is_device = |metadata: &Metadata| is_device(metadata.file_type());
    if !path.symlink_metadata().is_ok_and(|metadata| is_device(&metadata)) {
        is_there(path)?;
    }
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).map_err(|error| Why::Io(error).at(path))?;
    // It may have been replaced since.
    let metadata = file.metadata().map_err(|error| Why::Io(error).at(path))?;
    let checked = if is_device(&metadata) { Ok(()) } else { check_file(&metadata) };
    checked.map(|()| file).map_err(|why| why.at(path))
}

/// Refuses a path that is a link, or that passes through one below the current folder. Links above the current folder are the user's own.
fn check_links(path: &Path) -> Result<(), OutputError> {
    let current = std::env::current_dir().ok().filter(|folder| folder.parent().is_some());
    let below = current.as_deref().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
    // Without the separator at the end, which would follow a link.
    let below: PathBuf = below.components().collect();
    let mut way: Vec<&Path> = match below.is_absolute() {
        true => vec![&below],
        false => below.ancestors().filter(|path| !path.as_os_str().is_empty()).collect(),
    };
    way.reverse();
    match way.into_iter().find(|path| path.symlink_metadata().is_ok_and(|found| found.is_symlink())) {
        Some(link) => Err(Why::Link.at(link)),
        None => Ok(()),
    }
}

fn check_file(metadata: &Metadata) -> Result<(), Why> {
    match metadata {
        _ if metadata.is_symlink() => Err(Why::Link),
        _ if !metadata.is_file() => Err(Why::NotRegular),
        _ if has_other_names(metadata) => Err(Why::OtherNames),
        _ => Ok(()),
    }
}

/// Whether a file has hard links.
#[cfg(unix)]
pub(super) fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
pub(super) fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_char_device(&kind)
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{hard_link, read_to_string};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder with an output folder `out`, and a file `victim` beside it.
    fn folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (out, victim) = (folder.path().join("out"), folder.path().join("victim"));
        create_folder(&out).expect("it can be created");
        std::fs::write(&victim, "mine").expect("it can be written");
        (folder, out, victim)
    }

    fn why<T>(result: Result<T, OutputError>) -> String {
        result.err().expect("it is refused").why.to_string()
    }

    #[test]
    fn files_are_created_and_replaced() {
        let (_folder, out, _) = folder();
        for text in ["one", "two"] {
            let path = write(&out, Path::new("a"), text.as_bytes()).expect("it can be written");
            assert_eq!(read_to_string(&path).expect("it is there"), text);
            assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o400, 0o400);
        }
        assert_eq!(out.read_dir().expect("it is there").count(), 1);
    }

    #[test]
    fn nothing_is_written_through_a_link_or_to_a_pipe() {
        let (folder, out, victim) = folder();
        symlink(&victim, out.join("link")).expect("a link can be made");
        symlink("link", out.join("link-to-link")).expect("a link can be made");
        symlink(folder.path().join("new"), out.join("dangling")).expect("a link can be made");
        for name in ["link", "link-to-link", "dangling"] {
            assert_eq!(why(write(&out, Path::new(name), b"x")), "is a link, which is not followed");
            assert_eq!(why(append(&out.join(name))), "is a link, which is not followed");
        }
        hard_link(&victim, out.join("hard")).expect("a link can be made");
        let made = std::process::Command::new("mkfifo").arg(out.join("pipe")).status().expect("it runs");
        assert!(made.success());
        for (name, reason) in [("hard", "has other names"), ("pipe", "is not a regular file")] {
            assert!(why(write(&out, Path::new(name), b"x")).starts_with(reason), "{name}");
            assert!(why(append(&out.join(name))).starts_with(reason), "{name}");
        }
        assert_eq!(read_to_string(&victim).expect("it is there"), "mine");
        assert!(!folder.path().join("new").exists());
    }

    #[test]
    fn an_output_folder_is_no_link() {
        let (folder, out, victim) = folder();
        let link = folder.path().join("link");
        symlink(&out, &link).expect("a link can be made");
        for path in [link.clone(), link.join("")] {
            assert_eq!(why(create_folder(&path)), "is a link, which is not followed");
            assert_eq!(why(write(&path, Path::new("a"), b"x")), "is a link, which is not followed");
        }
        assert_eq!(why(create_folder(&victim)), "is not a folder");
        assert_eq!(out.read_dir().expect("it is there").count(), 0);
    }

    #[test]
    fn a_log_is_appended_to() {
        let (_folder, _, log) = folder();
        let mut file = append(&log).expect("it is a file");
        file.write_all(b" too").expect("it can be written");
        assert_eq!(read_to_string(&log).expect("it is there"), "mine too");
        append(Path::new("/dev/null")).expect("a device is accepted");
    }
}
