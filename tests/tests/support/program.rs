//! Runs the program as a user would.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The program under test: the one in `WARPLENS_SERVER`, or else this workspace's.
pub fn server() -> PathBuf {
    std::env::var_os("WARPLENS_SERVER")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_warplens-under-test")), PathBuf::from)
}

/// Runs the program to its end, with `input` on its standard input. JSON that it prints must have the documented form.
pub fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(server())
        .args(arguments)
        .current_dir(folder)
        .env_remove("WARPLENS_LOG")
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Fails if the program closes its input without reading it.
    let _ = child.stdin.take().expect("its input is piped").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    super::schemas::check(arguments, &output.stdout);
    output
}

/// A temporary folder, removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warplens-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        // The path as the program sees it, in case temporary folders are links.
        Folder(path.canonicalize().expect("it is there"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and creates its parent folders.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("folders can be made");
        std::fs::write(&path, contents).expect("files can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
