//! Reads files up to a limit.
//!
//! A file that the user did not name on a command line, such as one of a folder or of a launch, must be regular: a pipe or a device may
//! never end, and opening one may block.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files and folders of `--within`, outside of which nothing is read; none if everything may be.
static ALLOWED: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a regular file")]
    NotRegular,
    #[error("more than {0} bytes")]
    TooLarge(u64),
}

/// Restricts the process to these files, and to files in these folders.
pub fn allow_only(paths: &[PathBuf]) -> io::Result<()> {
    let resolved = |path: &PathBuf| {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        path.canonicalize().map_err(named)
    };
    let allowed = paths.iter().map(resolved).collect::<io::Result<_>>()?;
    let _ = ALLOWED.set(allowed);
    Ok(())
}

/// Whether the process may read a file, or list a folder.
pub fn is_allowed(path: &Path) -> bool {
    ALLOWED.get().is_none_or(|allowed| is_inside(path, allowed))
}

/// Whether a path leads into one of these. If there is nothing at it, its folder decides, because the answer must not tell what exists outside.
fn is_inside(path: &Path, allowed: &[PathBuf]) -> bool {
    match path.canonicalize() {
        Ok(path) => allowed.iter().any(|allowed| path.starts_with(allowed)),
        // Without a name, the path is the root or ends with `..`.
        Err(_) if path.file_name().is_none() => false,
        Err(_) => match path.parent() {
            Some(folder) if folder.as_os_str().is_empty() => is_inside(Path::new("."), allowed),
            Some(folder) => is_inside(folder, allowed),
            None => false,
        },
    }
}

pub fn check_allowed(path: &Path) -> io::Result<()> {
    match is_allowed(path) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "outside of the folders of `--within`")),
    }
}

/// The contents of a regular file of at most `limit` bytes.
#[cfg(not(target_family = "wasm"))]
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_all(open(path)?, limit)
}

/// The contents of a file of the page of at most `limit` bytes.
#[cfg(target_family = "wasm")]
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    use crate::page;

    let uri = page::uri(path);
    match page::file_size(&uri) {
        None => Err(FileError::Io(io::ErrorKind::NotFound.into())),
        Some(size) if size as u64 > limit => Err(FileError::TooLarge(limit)),
        Some(size) => Ok(page::read_file(size)),
    }
}

/// Whether there is something to read at a path. What is not a regular file counts too: reading it is an error.
pub fn is_there(path: &Path) -> bool {
    #[cfg(target_family = "wasm")]
    return crate::page::file_size(&crate::page::uri(path)).is_some();
    #[cfg(not(target_family = "wasm"))]
    return path.metadata().is_ok_and(|metadata| !metadata.is_dir()) && is_allowed(path);
}

fn read_all(file: File, limit: u64) -> Result<Vec<u8>, FileError> {
    if file.metadata()?.len() > limit {
        return Err(FileError::TooLarge(limit));
    }
    // The file may have grown since, and some files report no size.
    read_stream(file, limit)
}

/// The contents of a stream of at most `limit` bytes.
pub fn read_stream(stream: impl Read, limit: u64) -> Result<Vec<u8>, FileError> {
    let bytes = read_up_to(stream, limit.saturating_add(1))?;
    match bytes.len() as u64 > limit {
        true => Err(FileError::TooLarge(limit)),
        false => Ok(bytes),
    }
}

/// The contents of a file that is named on the command line, which may be a pipe, of at most `limit` bytes.
pub fn read_named(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_all(open_named(path)?, limit)
}

/// Opens a file that is named on the command line, which may be a pipe.
pub fn open_named(path: &Path) -> io::Result<File> {
    check_allowed(path)?;
    File::open(path)
}

/// The first `limit` bytes of a regular file.
pub fn beginning(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    Ok(read_up_to(open(path)?, limit)?)
}

fn read_up_to(stream: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file if it is regular, without waiting for the other end of a pipe.
pub fn open(path: &Path) -> Result<File, FileError> {
    check_allowed(path)?;
    // Opening a device may have side effects.
    if !std::fs::metadata(path)?.is_file() {
        return Err(FileError::NotRegular);
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    // The file may have been replaced since.
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(FileError::NotRegular),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("a");
        std::fs::write(&file, "12345").expect("it can be written");
        assert_eq!(read(&file, 5).expect("it fits"), b"12345");
        assert!(matches!(read(&file, 4), Err(FileError::TooLarge(4))));
        assert_eq!(beginning(&file, 2).expect("it is regular"), b"12");
        assert!(matches!(read(folder.path(), 9), Err(FileError::NotRegular)));
        assert!(matches!(read(&folder.path().join("b"), 9), Err(FileError::Io(_))));
    }

    #[test]
    fn what_does_not_exist_is_inside_if_its_folder_is() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let inside = folder.path().join("in");
        std::fs::create_dir(&inside).expect("it can be made");
        std::fs::write(folder.path().join("secret"), "").expect("it can be written");
        let allowed = [inside.canonicalize().expect("it is there")];
        for path in ["", "a", "a/b/c", "../in/a"] {
            assert!(is_inside(&inside.join(path), &allowed), "{path}");
        }
        for path in ["..", "../a", "../secret", "../a/b", "a/../../b", "/", "/nope"] {
            assert!(!is_inside(&inside.join(path), &allowed), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_read() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("it is there");
        assert!(made.success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(matches!(read(path, 9), Err(FileError::NotRegular)), "{}", path.display());
            assert!(matches!(beginning(path, 9), Err(FileError::NotRegular)), "{}", path.display());
        }
    }
}
