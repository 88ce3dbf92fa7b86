//! The functions that a page provides: the imports of the WebAssembly module, all from the module `warplens`. docs/web.md describes them.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

#[expect(unsafe_code, reason = "imports have no Rust signature that could be checked")]
#[link(wasm_import_module = "warplens")]
unsafe extern "C" {
    /// Milliseconds since 1970.
    #[link_name = "now"]
    safe fn page_now() -> f64;

    /// Looks up the file with a URI, which is UTF-8 of this length. The result is the number of its bytes, or -1 if there is none.
    #[link_name = "openFile"]
    unsafe fn page_open_file(uri: *const u8, length: usize) -> i32;

    /// Copies the bytes of the file that was looked up last.
    #[link_name = "readFile"]
    unsafe fn page_read_file(bytes: *mut u8);
}

/// The time since 1970.
pub(crate) fn now() -> Duration {
    Duration::try_from_secs_f64(page_now() / 1000.0).unwrap_or_default()
}

/// The number of bytes of a file; `None` if the page has none with this URI.
#[expect(unsafe_code, reason = "the page reads the URI from memory")]
pub(crate) fn file_size(uri: &str) -> Option<usize> {
    // SAFETY: the page only reads these bytes.
    usize::try_from(unsafe { page_open_file(uri.as_ptr(), uri.len()) }).ok()
}

/// The bytes of the file that [`file_size`] found last, and its size.
#[expect(unsafe_code, reason = "the page writes the file to memory")]
pub(crate) fn read_file(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    // SAFETY: the page writes as many bytes as it said, and keeps no pointer.
    unsafe { page_read_file(bytes.as_mut_ptr()) };
    bytes
}

/// The URI of a file: a path that starts with `/` is one of the scheme `file`, and any other path is a URI already.
pub fn uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    if !path.starts_with('/') {
        return path.into_owned();
    }
    let mut uri = String::from("file://");
    for &byte in path.as_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(byte.into())
            }
            byte => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}
