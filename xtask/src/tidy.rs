//! Invariants of the code base that a compiler does not check: which crates may use files, threads and the clock, which module opens files,
//! how long a file and a function may be, import cycles, the seam of languages, the file of each diagnostic, words, the links of pages, and what is at the
//! root of the repository.

mod codes;
mod cycles;
mod imports;
mod includes;
mod languages;
mod lengths;
mod pages;
mod raw_files;
mod tokens;
mod words;

use anyhow::{Context as _, Result, bail};

use crate::project::{files, project_root, read, relative};
use crate::shell;

/// Parts of the standard library that some crates may not use, and why. Other crates need no fence: Cargo.toml lists what a crate may use.
struct Fence {
    words: &'static [&'static str],
    /// The words must not be in the sources below these folders, which are relative to the root.
    folders: &'static [&'static str],
    why: &'static str,
}

const FENCES: [Fence; 5] = [
    Fence {
        words: &["std::fs", "std::process"],
        folders: &[
            "syntax",
            "server/isa",
            "server/hir",
            "server/sim",
            "server/ide-db",
            "server/ide-diagnostics",
            "server/ide-lanes",
            "server/ide",
            "server/protocol",
        ],
        why: "only `warplens` and `tools` use files and processes",
    },
    Fence { words: &["std::net"], folders: &["syntax", "server"], why: "nothing uses the network" },
    Fence { words: &["std::thread"], folders: &["server/protocol"], why: "`protocol` only converts" },
    Fence {
        words: &["std::thread", "std::time", "std::io", "Instant::now"],
        folders: &["syntax", "server/isa", "server/hir", "server/sim"],
        why: "`sim` and below use no threads, clock or I/O, so that they also run as WebAssembly",
    },
    Fence {
        words: &[
            "std::time::Instant",
            "Duration, Instant",
            "SystemTime::now",
            "thread::spawn",
            "tokio",
            "tower_lsp",
        ],
        folders: &["server/lsp"],
        why: "the server also runs in a browser: use `warplens_system::clock` and `Environment`",
    },
];

/// What lies at the root of the repository; anything else was added by mistake.
const TOP_LEVEL: [&str; 28] = [
    ".cargo",
    ".ci",
    ".config",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "biome.json",
    "deny.toml",
    "docs",
    "editors",
    "examples",
    "pyproject.toml",
    "python",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "server",
    "syntax",
    "tests",
    "typos.toml",
    "xtask",
];

/// Runs every check and reports all that it finds.
pub(crate) fn run() -> Result<()> {
    let root = project_root();
    let mut problems = Vec::new();
    let folders = ["syntax", "server", "tests", "xtask"].map(|name| root.join(name));
    for file in files(folders.into(), "rs")? {
        let name = relative(&root, &file);
        let text = read(&name)?;
        check_fences(&name, &text, &mut problems);
        check_shape(&name, &text, &mut problems);
        lengths::check(&name, &text, &mut problems);
        languages::check(&name, &text, &mut problems);
        raw_files::check(&name, &text, &mut problems);
        includes::check(&name, &text, &mut problems);
    }
    pages::check(&root, &mut problems)?;
    cycles::check(&root, &mut problems)?;
    codes::check(&root, &mut problems)?;
    let tracked =
        shell::command(".", "git", &["ls-files"]).stdout().context("git lists the files to check")?;
    check_top_level(&tracked, &mut problems);
    words::check(&root, &tracked, &mut problems)?;
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{} untidy place(s):\n{}", problems.len(), problems.join("\n"))
}

fn check_top_level(files: &str, problems: &mut Vec<String>) {
    for file in files.lines() {
        let top = file.split('/').next().unwrap_or_default();
        if !TOP_LEVEL.contains(&top) {
            problems.push(format!(
                "{file}: `{top}` is not one of the files and folders at the root of the repository"
            ));
        }
    }
}

fn check_fences(name: &str, text: &str, problems: &mut Vec<String>) {
    for fence in FENCES.iter().filter(|fence| fence.folders.iter().any(|folder| is_source_of(folder, name))) {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = fence.words.iter().find(|word| code.contains(**word)) {
                problems.push(format!("{name}:{}: names `{word}`, but {}", number + 1, fence.why));
            }
        }
    }
}

/// Whether a file is in `src` of a crate in this folder.
fn is_source_of(folder: &str, name: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') && rest.contains("/src/"))
}

fn check_shape(name: &str, text: &str, problems: &mut Vec<String>) {
    // The tests of a feature lie beside it and need no introduction; their expected answers may end in a space.
    let tests = name.ends_with("/tests.rs");
    if !tests && !text.starts_with("//!") {
        problems.push(format!("{name}: starts without a `//!` that says what lives here"));
    }
    for (number, line) in text.lines().enumerate() {
        if !tests && line.ends_with([' ', '\t']) {
            problems.push(format!("{name}:{}: trailing white space", number + 1));
        }
        // Not such a test: the check that there is none.
        if line.trim_start().starts_with("#[ignore") {
            problems.push(format!("{name}:{}: a test that does not run", number + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_around_the_sources_of_all_crates_in_a_folder() {
        assert!(is_source_of("server/ide", "server/ide/src/lib.rs"));
        assert!(is_source_of("server/sim", "server/sim/warp/src/lanes.rs"));
        assert!(!is_source_of("server/sim", "server/sim/ptx/tests/gpu.rs"));
        assert!(!is_source_of("server/ide", "server/ide-db/src/lib.rs"));
    }

    #[test]
    fn a_file_at_the_root_must_be_listed() {
        let mut problems = Vec::new();
        check_top_level("Cargo.toml\nserver/hir/src/lib.rs\nnotes.txt\nout/a.txt\n", &mut problems);
        assert_eq!(
            problems,
            [
                "notes.txt: `notes.txt` is not one of the files and folders at the root of the repository",
                "out/a.txt: `out` is not one of the files and folders at the root of the repository",
            ]
        );
    }
}
