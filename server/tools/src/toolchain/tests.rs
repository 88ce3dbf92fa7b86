//! Tests with tools that hang, print garbage, fail or write nothing: shell scripts.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Instant;

use super::*;

/// A folder with these scripts as the tools.
fn tools(ptxas: &str, nvdisasm: &str, limit: Duration) -> (tempfile::TempDir, Toolchain) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, body) in [("ptxas", ptxas), ("nvdisasm", nvdisasm)] {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    }
    let path = folder.path().join("ptxas");
    let toolchain = Toolchain::find(Some(&path), limit).expect("tools");
    (folder, toolchain)
}

fn error(ptxas: &str, nvdisasm: &str) -> String {
    error_within(Duration::from_millis(500), ptxas, nvdisasm)
}

fn error_within(limit: Duration, ptxas: &str, nvdisasm: &str) -> String {
    let (folder, toolchain) = tools(ptxas, nvdisasm, limit);
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
fn tools_that_write_too_much_or_are_ended_by_a_signal() {
    let error = |ptxas: &str, nvdisasm: &str| error_within(Duration::from_secs(60), ptxas, nvdisasm);
    let large = "while [ \"$1\" != -o ]; do shift; done; dd if=/dev/zero of=\"$2\" bs=1 count=1 seek=300000000; sleep 600";
    assert_eq!(error(large, ""), "~/ptxas wrote a file of more than 256 MB and was stopped");
    let endless = "while :; do head -c 1000000 /dev/zero; done";
    assert_eq!(error(WRITES, endless), "~/nvdisasm printed more than 256 MB and was stopped");
    assert_eq!(error("kill -SEGV $$", ""), "~/ptxas was ended by a signal (signal: 11 (SIGSEGV))");
    let long = error("printf '%03000d' 1 >&2; exit 1", "");
    assert_eq!(long.len(), "~/ptxas rejects the file: ".len() + MAX_MESSAGE);
}

#[test]
fn nothing_is_left_of_a_tool_that_hangs() {
    let hangs =
        "pwd > \"$(dirname \"$0\")/folder\"; sleep 600 & echo $! > \"$(dirname \"$0\")/process\"; sleep 600";
    let (folder, toolchain) = tools(hangs, "", Duration::from_secs(2));
    toolchain.listing(".target sm_90\n", "sm_90", 3).expect_err("it hangs");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was started");
    assert!(!Path::new(read("folder").trim()).exists());
    // Sending a signal does not wait for the process to end.
    let start = Instant::now();
    while let Some(stat) = running(read("process").trim()) {
        assert!(start.elapsed() < Duration::from_secs(60), "{stat}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The system's state of a process that has not ended. A zombie has ended.
fn running(process: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/stat")).ok().filter(|stat| !stat.contains(") Z "))
}

#[test]
fn the_targets_that_an_assembler_lists() {
    let help = "echo \"Allowed: 'compute_90','lto_90','sm_100f',\"; echo \"'sm_90','sm_75','sm_90a'. Default 'sm_75'.\"";
    let (_folder, toolchain) = tools(help, "", Duration::from_secs(60));
    assert_eq!(toolchain.targets().expect("a list"), ["sm_75", "sm_90", "sm_90a", "sm_100f"]);
    let (_folder, toolchain) = tools("exit 1", "", Duration::from_secs(60));
    assert!(toolchain.targets().expect("no list").is_empty());
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
