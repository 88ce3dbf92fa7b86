//! How the program reads, creates and replaces files. All other modules call these functions, because a workspace may contain prepared
//! pipes, devices and links at any path that the program uses.

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
mod attributes;
/// Other systems have no attributes to keep.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
mod attributes {
    pub(super) fn copy(_: &std::fs::File, _: &std::fs::File) -> std::io::Result<()> {
        Ok(())
    }
}
pub mod new_file;
pub mod read_file;
pub mod replace_file;
