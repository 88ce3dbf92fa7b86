//! What tests need beside the code: corpora and assemblers. The corpora are the sample in `tests/fixtures/corpus`, which every clone
//! has, and those in `../shared`.
//!
//! A test that needs one of them asks for it here and returns if it gets `None`. The skip is printed, and
//! appended to the file that `WARPLENS_SKIPPED` names, from which `cargo xtask test` counts the skips.

pub mod random_kernel;
pub mod schema_checker;
pub mod typescript;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder in each of the corpora: of the sample always, and of `../shared/corpus` if it exists. If it does not and
/// `WARPLENS_REQUIRE_CORPUS` is set, the test fails. The empty path is the whole corpus.
pub fn corpora(path: &str) -> Vec<PathBuf> {
    if shared_if_present("corpus").is_none() {
        refuse_missing("corpus");
    }
    let shared = shared_if_present(&format!("corpus/{path}"));
    std::iter::once(sample(path)).chain(shared).collect()
}

/// A file or folder of the sample.
pub fn sample(path: &str) -> PathBuf {
    let found = root().join("tests/fixtures/corpus").join(path);
    assert!(found.exists(), "{} is missing", found.display());
    found
}

/// A file or folder in `../shared`, for tests of data that the sample does not have. Without it the test is skipped, or fails
/// if `WARPLENS_REQUIRE_CORPUS` is set.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = shared_if_present(path);
    if found.is_none() {
        let missing = if beside_the_repository("corpus").exists() { path } else { "corpus" };
        refuse_missing(missing);
        skip(&format!("../shared/{missing} was not found"));
    }
    found
}

fn refuse_missing(path: &str) {
    let is_required = std::env::var_os("WARPLENS_REQUIRE_CORPUS").is_some_and(|value| !value.is_empty());
    assert!(!is_required, "../shared/{path} was not found, and WARPLENS_REQUIRE_CORPUS is set");
}

/// The same for a test that also runs without it.
pub fn shared_if_present(path: &str) -> Option<PathBuf> {
    Some(beside_the_repository(path)).filter(|path| path.exists())
}

fn beside_the_repository(path: &str) -> PathBuf {
    root().join("../shared").join(path)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The assembler: `WARPLENS_PTXAS`, otherwise `.oracle/ptxas-13`, otherwise the one in `PATH`.
pub fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("WARPLENS_PTXAS").map(PathBuf::from);
    let local = Some(root().join(".oracle/ptxas-13")).filter(|path| path.exists());
    let found = named.or(local).or_else(|| runs("ptxas").then(|| PathBuf::from("ptxas")));
    if found.is_none() {
        skip("ptxas was not found");
    }
    found
}

/// The program that an environment variable names, for tests that need a particular one.
pub fn program_of(variable: &str) -> Option<String> {
    let named = std::env::var(variable).ok();
    if named.is_none() {
        skip(&format!("{variable} is not set"));
    }
    named
}

/// Whether a program in `PATH` answers `--version`. If not, the caller skips its test.
pub fn runs(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Records that the running test is skipped. The caller then returns.
pub fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    let Some(notes) = std::env::var_os("WARPLENS_SKIPPED") else { return };
    let thread = std::thread::current();
    let note = format!("{reason}\t{}\n", thread.name().unwrap_or("a test"));
    let file = OpenOptions::new().create(true).append(true).open(notes);
    file.and_then(|mut file| file.write_all(note.as_bytes()))
        .expect("the file of WARPLENS_SKIPPED is writable");
}
