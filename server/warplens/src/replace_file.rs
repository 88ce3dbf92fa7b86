//! Replaces the contents of a user's file. Whenever that fails, the old contents are still there.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// Replaces the contents of an existing file. Permissions, owner and links are preserved.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A symbolic link remains, and its target is replaced.
    let target = path.canonicalize()?;
    if !std::fs::metadata(&target)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // A rename works without write permission for the file, so the permission is checked by opening it.
    let file = File::options().read(true).write(true).open(&target)?;
    let metadata = file.metadata()?;
    if has_other_names(&metadata) {
        return overwrite(file, contents);
    }
    match rename_over(&target, &metadata, contents) {
        // The folder permits no new file, or its owner cannot be set.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => overwrite(file, contents),
        done => done,
    }
}

/// Writes a new file beside the old one, and renames it once it is complete.
fn rename_over(target: &Path, old: &Metadata, contents: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".warplens-").tempfile_in(folder)?;
    new.write_all(contents)?;
    keep_owner(new.as_file(), old)?;
    new.as_file().set_permissions(old.permissions())?;
    new.as_file().sync_all()?;
    new.persist(target).map_err(|failed| failed.error)?;
    Ok(())
}

/// Overwrites the file in place. If the new contents do not fit, there is still enough space to restore the old ones.
fn overwrite(mut file: File, contents: &[u8]) -> io::Result<()> {
    let mut before = Vec::new();
    file.read_to_end(&mut before)?;
    let written = write_over(&mut file, contents);
    if written.is_err() {
        write_over(&mut file, &before)?;
    }
    written
}

fn write_over(file: &mut File, contents: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(contents)?;
    file.set_len(contents.len() as u64)?;
    file.sync_all()
}

/// Whether the file has hard links, which a rename would separate.
#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{Permissions, read_to_string, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("k.ptx");
        std::fs::write(&file, "old").expect("it can be written");
        (folder, file)
    }

    #[test]
    fn permissions_are_kept_and_nothing_is_left_beside() {
        let (folder, file) = folder();
        set_permissions(&file, Permissions::from_mode(0o640)).expect("it is ours");
        replace(&file, b"new").expect("it can be replaced");
        assert_eq!(read_to_string(&file).expect("it is there"), "new");
        assert_eq!(file.metadata().expect("it is there").mode() & 0o777, 0o640);
        assert_eq!(folder.path().read_dir().expect("it is there").count(), 1);
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let (folder, file) = folder();
        let link = folder.path().join("link.ptx");
        symlink("k.ptx", &link).expect("a link can be made");
        replace(&link, b"new").expect("it can be replaced");
        assert!(link.symlink_metadata().expect("it is there").is_symlink());
        assert_eq!(read_to_string(&file).expect("it is there"), "new");
    }

    #[test]
    fn hard_links_stay_one_file() {
        let (folder, file) = folder();
        let other = folder.path().join("other.ptx");
        std::fs::hard_link(&file, &other).expect("a link can be made");
        for text in ["longer than before", "x"] {
            replace(&file, text.as_bytes()).expect("it can be replaced");
            assert_eq!(read_to_string(&other).expect("it is there"), text);
        }
    }

    #[test]
    fn only_regular_files_are_replaced() {
        assert!(replace(Path::new("/dev/null"), b"new").is_err());
        let (folder, _) = folder();
        assert!(replace(folder.path(), b"new").is_err());
        assert!(replace(&folder.path().join("missing"), b"new").is_err());
    }
}
