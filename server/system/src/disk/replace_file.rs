//! Replaces the contents of a user's file. Whenever that fails, the old contents are still there.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use thiserror::Error;

use super::attributes;
use super::new_file::has_other_names;

/// Why a file keeps its old contents.
#[derive(Debug, Error)]
pub enum ReplaceError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it was changed after it was read; run the command again")]
    Changed,
}

/// Replaces the contents `before` of an existing file. Permissions, owner, extended attributes and links are preserved. A file whose
/// contents are no longer `before` is left as it is: an editor has saved it meanwhile. So is one that was exchanged for a symbolic link:
/// the caller resolves links before it reads.
pub fn replace(target: &Path, before: &[u8], contents: &[u8]) -> Result<(), ReplaceError> {
    let kind = std::fs::symlink_metadata(target)?.file_type();
    if kind.is_symlink() {
        return Err(ReplaceError::Changed);
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    // A rename works without write permission for the file, so the permission is checked by opening it.
    let mut file = File::options().read(true).write(true).open(target)?;
    if has_other_names(&file.metadata()?) {
        return overwrite(&mut file, before, contents);
    }
    match written_beside(target, &file, contents) {
        Ok(new) => {
            check_unchanged(target, &mut file, before)?;
            new.persist(target).map_err(|failed| failed.error)?;
            Ok(())
        }
        // The folder permits no new file, or its owner or an attribute cannot be set.
        Err(error) if is_refused(&error) => overwrite(&mut file, before, contents),
        Err(error) => Err(error.into()),
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported)
}

/// Writes a new file beside the old one, which is renamed once it is complete.
fn written_beside(target: &Path, old: &File, contents: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".warplens-").tempfile_in(folder)?;
    new.write_all(contents)?;
    let metadata = old.metadata()?;
    keep_owner(new.as_file(), &metadata)?;
    new.as_file().set_permissions(metadata.permissions())?;
    attributes::copy(old, new.as_file())
        .map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// Checks that `file` is still the file at `target` and has the contents `before`. Times alone are not enough: two saves can fall
/// within one tick of the clock.
fn check_unchanged(target: &Path, file: &mut File, before: &[u8]) -> Result<(), ReplaceError> {
    let seen = version(&file.metadata()?);
    let is_same = contents_of(file)? == before && version(&std::fs::symlink_metadata(target)?) == seen;
    if is_same { Ok(()) } else { Err(ReplaceError::Changed) }
}

fn contents_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut contents)?;
    Ok(contents)
}

/// Overwrites the file in place. If the new contents do not fit, there is still enough space to restore the old ones.
fn overwrite(file: &mut File, before: &[u8], contents: &[u8]) -> Result<(), ReplaceError> {
    if contents_of(file)? != before {
        return Err(ReplaceError::Changed);
    }
    let written = write_over(file, contents);
    if written.is_err() {
        write_over(file, before)?;
    }
    Ok(written?)
}

fn write_over(file: &mut File, contents: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(contents)?;
    file.set_len(contents.len() as u64)?;
    file.sync_all()
}

/// What differs after most saves: device, inode, size, and time in seconds and nanoseconds.
#[cfg(unix)]
fn version(metadata: &Metadata) -> impl PartialEq + use<> {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec())
}

#[cfg(not(unix))]
fn version(metadata: &Metadata) -> impl PartialEq + use<> {
    (metadata.len(), metadata.modified().ok())
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
        replace(&file, b"old", b"new").expect("it can be replaced");
        assert_eq!(read_to_string(&file).expect("it is there"), "new");
        assert_eq!(file.metadata().expect("it is there").mode() & 0o777, 0o640);
        assert_eq!(folder.path().read_dir().expect("it is there").count(), 1);
    }

    #[test]
    fn a_file_that_became_a_link_is_not_followed() {
        let (folder, file) = folder();
        let outside = folder.path().join("outside.ptx");
        std::fs::rename(&file, &outside).expect("it can be moved");
        symlink("outside.ptx", &file).expect("a link can be made");
        assert!(matches!(replace(&file, b"old", b"new"), Err(ReplaceError::Changed)));
        assert_eq!(read_to_string(&outside).expect("it is there"), "old");
    }

    #[test]
    fn hard_links_stay_one_file() {
        let (folder, file) = folder();
        let other = folder.path().join("other.ptx");
        std::fs::hard_link(&file, &other).expect("a link can be made");
        for (before, text) in [("old", "longer than before"), ("longer than before", "x")] {
            replace(&file, before.as_bytes(), text.as_bytes()).expect("it can be replaced");
            assert_eq!(read_to_string(&other).expect("it is there"), text);
        }
    }

    #[test]
    fn only_regular_files_are_replaced() {
        assert!(replace(Path::new("/dev/null"), b"", b"new").is_err());
        let (folder, _) = folder();
        assert!(replace(folder.path(), b"", b"new").is_err());
        assert!(replace(&folder.path().join("missing"), b"", b"new").is_err());
    }
    #[test]
    fn a_save_that_came_between_is_kept() {
        let (folder, file) = folder();
        let renamed = folder.path().join("renamed");
        let saves: [(&str, &dyn Fn()); 4] = [
            ("old and more", &|| std::fs::write(&file, "old and more").expect("it is ours")),
            ("o", &|| std::fs::write(&file, "o").expect("it is ours")),
            // Of the same size, within one tick of the clock.
            ("odd", &|| std::fs::write(&file, "odd").expect("it is ours")),
            ("new", &|| {
                std::fs::write(&renamed, "new").expect("it is ours");
                std::fs::rename(&renamed, &file).expect("it is ours");
            }),
        ];
        for (saved, save) in saves {
            for has_link in [false, true] {
                std::fs::write(&file, "old").expect("it is ours");
                let link = folder.path().join("link");
                if has_link {
                    std::fs::hard_link(&file, &link).expect("a link can be made");
                }
                save();
                let replaced = replace(&file, b"old", b"formatted");
                assert!(matches!(replaced, Err(ReplaceError::Changed)), "{saved}");
                assert_eq!(read_to_string(&file).expect("it is there"), saved);
                let _ = std::fs::remove_file(link);
            }
        }
    }

    #[test]
    fn a_file_that_another_one_replaced_is_changed() {
        let (folder, file) = folder();
        let mut opened = File::open(&file).expect("it is there");
        check_unchanged(&file, &mut opened, b"old").expect("it is the same file");
        std::fs::write(folder.path().join("renamed"), "old").expect("it is ours");
        std::fs::rename(folder.path().join("renamed"), &file).expect("it is ours");
        assert!(matches!(check_unchanged(&file, &mut opened, b"old"), Err(ReplaceError::Changed)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn extended_attributes_and_access_lists_are_kept() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let (_folder, file) = folder();
        // The version, and the entries: owner, user 1, group, mask, others.
        let entries = [(1u16, 6u16, !0u32), (2, 4, 1), (4, 4, !0), (16, 4, !0), (32, 0, !0)];
        let entry = |(tag, rights, id): (u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let list = [2u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat();
        let set =
            [("user.note", b"hello".to_vec()), ("user.empty", vec![]), ("system.posix_acl_access", list)];
        // Not every file system has them.
        let has =
            |(name, value): &(&str, Vec<u8>)| setxattr(&file, *name, value, XattrFlags::empty()).is_ok();
        let set: Vec<_> = set.into_iter().filter(has).collect();
        replace(&file, b"old", b"new").expect("it can be replaced");
        for (name, value) in set {
            let mut kept = [0; 100];
            let length = getxattr(&file, name, &mut kept[..]).expect("it is kept");
            assert_eq!(kept[..length], value, "{name}");
        }
    }
}
