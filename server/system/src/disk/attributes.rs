//! The extended attributes of a file, which include its access list on Linux.

use std::fs::File;
use std::io;

/// Gives `new` exactly the extended attributes of `old`. An error means that an attribute of `old` would be lost.
pub(super) fn copy(old: &File, new: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    let wanted = names(old)?;
    for name in names(new)?.iter().filter(|name| !wanted.contains(name)) {
        // For example a default access list that comes from the folder. Labels of the system cannot be removed, so an error is no problem.
        let _ = fremovexattr(new, name.as_slice());
    }
    for name in wanted {
        let value = value(old, &name)?;
        // Setting a label of the system may need a privilege, and the new file often has the same label.
        if self::value(new, &name).ok().as_ref() != Some(&value) {
            fsetxattr(new, name.as_slice(), &value, XattrFlags::empty())?;
        }
    }
    Ok(())
}

/// The limit of Linux, of a value and of the list of names. A longer value of another system is an error.
const MAX_BYTES: usize = 1 << 16;

fn names(file: &File) -> io::Result<Vec<Vec<u8>>> {
    let mut list = vec![0; MAX_BYTES];
    let length = match rustix::fs::flistxattr(file, &mut list[..]) {
        // A file system without attributes.
        Err(rustix::io::Errno::NOTSUP) => 0,
        length => length?,
    };
    let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(<[u8]>::to_vec).collect())
}

fn value(file: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    let mut value = vec![0; MAX_BYTES];
    let length = rustix::fs::fgetxattr(file, name, &mut value[..])?;
    value.truncate(length);
    Ok(value)
}
