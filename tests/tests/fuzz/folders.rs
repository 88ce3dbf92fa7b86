//! Hostile folders: commands in a workspace with links, pipes, hard links and nests of folders at the paths that they read and write.
//! They end, without a panic, and change nothing outside.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;

use super::budget;
use super::support::{Folder, run};

const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n\
    .reg .b64 %rd<2>;ld.param.u64 %rd1, [x];\nst.global.u32 [%rd1], 1;\nret;\n}\n";

/// Paths in the workspace that a command reads, writes or passes on its way.
const PATHS: [&str; 14] = [
    "warplens.toml",
    "warplens.json",
    "k.reduced",
    "k.reduced/k.ptx",
    "k.reduced/warplens.toml",
    "other.ptx",
    "source.cu",
    "pages",
    "pages/warplens.1",
    "log",
    "batch.jsonl",
    "below/k.ptx",
    "below/warplens.toml",
    ".warplens-x",
];

const COMMANDS: [&[&str]; 12] = [
    &["check", "."],
    &["fmt", "."],
    // A file that the user names may be a link, whose target is formatted.
    &["fmt", "--diff", "other.ptx", "below/k.ptx"],
    &["fmt", "--check", "k.ptx"],
    &["sim", "k.ptx", "--max-steps", "1000"],
    &["sim", "k.ptx", "--launches", "warplens.json", "--max-steps", "1000"],
    &["sim", "k.ptx", "--batch", "batch.jsonl", "--max-steps", "1000"],
    &["test", "."],
    &["compare", "k.ptx", "o.ptx", "--reduce", "--reduce-limit", "1"],
    &["compare", "k.ptx", "o.ptx", "--reduce", "--reduce-limit", "1", "--output", "below"],
    &["man", "--out", "pages"],
    &["--log-file", "log", "check", "k.ptx"],
];

/// Puts something at a path of the workspace. What is there stays, and so do paths whose parent is no folder.
fn put(workspace: &Path, victim: &Path, path: &str, rng: &mut Rng) {
    let path = workspace.join(path);
    // Through no link, so that this test changes nothing outside either.
    if path.parent().is_some_and(|parent| parent.is_symlink()) {
        return;
    }
    let _ = path.parent().map(std::fs::create_dir_all);
    let targets = ["file", "kernel.ptx", "folder", "new"].map(|name| victim.join(name));
    let _ = match rng.u8(..9) {
        0..3 => symlink(&targets[rng.usize(..targets.len())], &path),
        3 => symlink(&path, &path),
        4 => symlink("/dev/zero", &path),
        // `fmt` keeps the links of a kernel: all of its names have the new text.
        5 => std::fs::hard_link(&targets[0], &path),
        6 => Command::new("mkfifo").arg(&path).stderr(Stdio::null()).status().map(drop),
        7 => std::fs::create_dir_all(path.join("d/".repeat(rng.usize(..200)))),
        _ => std::fs::write(&path, [KERNEL, "", "[[launch]]\nfile = \"*\"\n", "\u{0}"][rng.usize(..4)]),
    };
}

/// The files below a folder with their contents, and the links with their targets.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, Vec::new());
        } else {
            let text = std::fs::read(&path).expect("readable");
            found.insert(path, text);
        }
    }
    found
}

#[test]
fn hostile_folders() {
    budget::run("folders", 4, |case| {
        let folder = Folder::new();
        folder.write("work/k.ptx", KERNEL);
        folder.write("work/o.ptx", KERNEL.replace("], 1;", "], 2;"));
        folder.write("victim/file", "mine\n");
        folder.write("victim/kernel.ptx", KERNEL);
        folder.write("victim/folder/file", "mine\n");
        let (workspace, victim) = (folder.path().join("work"), folder.path().join("victim"));
        for _ in 0..case.rng.usize(1..8) {
            put(&workspace, &victim, PATHS[case.rng.usize(..PATHS.len())], &mut case.rng);
        }
        let before = contents(&victim);
        let commands = 3;
        for _ in 0..commands {
            let arguments = COMMANDS[case.rng.usize(..COMMANDS.len())];
            case.input(&format!("{arguments:?}"));
            let output = run(&workspace, arguments, b"");
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0..=2)),
                "{arguments:?}: {:?} {error}",
                output.status
            );
            assert!(!error.contains("panicked"), "{arguments:?}: {error}");
            assert_eq!(contents(&victim), before, "{arguments:?} changes what is outside the workspace");
        }
        commands
    });
}
