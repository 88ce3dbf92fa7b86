//! Tools that hang, print garbage, fail or write nothing: scripts in their place.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A folder with these scripts as tools.
fn tools(ptxas: &str, nvdisasm: &str) -> (tempfile::TempDir, Toolchain) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, body) in [("ptxas", ptxas), ("nvdisasm", nvdisasm)] {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    }
    let path = folder.path().join("ptxas");
    let toolchain = Toolchain::find(Some(&path), Duration::from_millis(500)).expect("tools");
    (folder, toolchain)
}

fn error(ptxas: &str, nvdisasm: &str) -> String {
    let (folder, toolchain) = tools(ptxas, nvdisasm);
    let error = toolchain.listing(".target sm_90\n", "sm_90", 3).expect_err("no listing");
    error.to_string().replace(&folder.path().display().to_string(), "~")
}

/// Writes the file after `-o`.
const WRITES: &str = "while [ \"$1\" != -o ]; do shift; done; echo cubin > \"$2\"";

#[test]
fn hostile_tools() {
    assert_eq!(error("sleep 60", ""), "~/ptxas exceeded the time limit of 0 s and was stopped");
    assert_eq!(error("sleep 60 & exit 0", ""), "~/ptxas ended without an output file");
    assert_eq!(error("exit 0", ""), "~/ptxas ended without an output file");
    assert_eq!(error("exit 3", ""), "~/ptxas rejects the file: it printed no message");
    assert_eq!(
        error("echo \"ptxas $5, line 3; error : bad\" >&2; exit 255", ""),
        "~/ptxas rejects the file: ptxas the file, line 3; error : bad"
    );
    assert_eq!(error(WRITES, "sleep 60"), "~/nvdisasm exceeded the time limit of 0 s and was stopped");
    assert_eq!(error(WRITES, "echo hello"), "~/nvdisasm printed something else than a listing: hello");
    assert_eq!(error(WRITES, ""), "~/nvdisasm printed something else than a listing: nothing");
    let garbage = error(WRITES, "head -c 100000 /dev/urandom; exit 1");
    assert!(garbage.starts_with("~/nvdisasm rejects the file: "), "{garbage}");
}

#[test]
fn absent_tools() {
    let absent = Toolchain::find(Some(Path::new("/nonexistent/ptxas")), Duration::from_secs(1));
    let message = match absent {
        Err(error) => error.to_string(),
        Ok(toolchain) => toolchain.version().expect_err("absent").to_string(),
    };
    assert!(message.contains("/nonexistent/ptxas"), "{message}");
}

#[test]
fn targets() {
    let of = |text: &str| target_of(text).ok();
    assert_eq!(of(".version 8.5\n.target sm_90a, debug\n").as_deref(), Some("sm_90a"));
    assert_eq!(of("// .target sm_20\n  .target\ttexmode_independent, sm_100f\n").as_deref(), Some("sm_100f"));
    assert_eq!(of(".version 8.5\n"), None);
}
