//! The server in headless Neovim: a session as a user would have it (tests/neovim/session.lua).

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use warplens_test_support::{runs, skip};

const SOURCE: &str = include_str!("../../examples/divergence.ptx");

#[test]
fn a_session_in_neovim() {
    if !runs("nvim") {
        return skip("Neovim (nvim) was not found");
    }
    let folder = std::env::temp_dir().join(format!("warplens-neovim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let file = folder.join("divergence.ptx");
    std::fs::write(&file, SOURCE).expect("the file can be written");
    let answer = session(&folder, &file);
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    expect![[r#"
        hover: **`bra`** · control flow · §9.7.14.3
        definition of the label: line 25
        lenses: 1, command warplens.selectLaunch
        lanes at line 22: split 16 | 16
        lanes at line 23: 16/32 odd
        lanes at line 24: 16/32 odd
        lanes at line 26: 16/32 even
        lanes at line 28: join 32
        lanes at line 32: x4 32>24>16>8
        lanes at line 33: x4 32>24>16>8
        lanes at line 34: x4 32>24>16>8
        lanes at line 35: x4 32>24>16>8
        lanes at line 38: join 32
        lanes at line 39: 4 of 32 @ 28-31
        error: unknown instruction `frob`
        error: undeclared register `%r1`
    "#]]
    .assert_eq(&answer);
}

/// Runs the session and returns its output.
fn session(folder: &Path, file: &Path) -> String {
    let output = folder.join("answer.txt");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("neovim/session.lua");
    let run = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(folder)
        .env("HOME", folder)
        .env("WARPLENS_SERVER", env!("CARGO_BIN_EXE_warplens-under-test"))
        .env("WARPLENS_FILE", file)
        .env("WARPLENS_OUTPUT", &output)
        .output()
        .expect("Neovim runs");
    std::fs::read_to_string(&output)
        .unwrap_or_else(|_| panic!("no answer: {}", String::from_utf8_lossy(&run.stderr)))
}
