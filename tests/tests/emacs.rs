//! The server in Emacs with eglot, without a display: a session as a user would have it (tests/emacs/session.el), with the
//! recipe of docs/editors.md.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use warplens_test_support::skip;

const SOURCE: &str = include_str!("../../examples/divergence.ptx");
const RECIPES: &str = include_str!("../../docs/editors.md");

/// Loads eglot as a user would, from a package or from Emacs itself.
const HAS_EGLOT: &str =
    "(progn (require 'package) (package-initialize) (kill-emacs (if (require 'eglot nil t) 0 1)))";

#[test]
#[cfg(unix)]
fn a_session_in_emacs() {
    let emacs = || Command::new("emacs");
    if !emacs().args(["--batch", "--eval", HAS_EGLOT]).output().is_ok_and(|output| output.status.success()) {
        return skip("Emacs with eglot was not found");
    }
    let folder = std::env::temp_dir().join(format!("warplens-emacs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let answer = session(&folder);
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    expect![[r#"
        mode: ptx-mode
        line 17: warplens [unresolved-name]: undeclared register `%tidx`; did you mean `%tid.x`?
        fix: Replace with `%tid.x`
        fixed: mov.u32 	%r1, %tid.x;
        launch: Simulate: inferred 1 x 32
        run: finished
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
    "#]]
    .assert_eq(&answer);
}

/// Runs the session on a kernel with a misspelled register, and returns its output.
#[cfg(unix)]
fn session(folder: &Path) -> String {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the file can be written");
        path
    };
    let output = folder.join("answer.txt");
    let file = write("divergence.ptx", &SOURCE.replace("%tid.x", "%tidx"));
    let recipe = write("recipe.el", recipe());
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_warplens-under-test"), folder.join("warplens"))
        .expect("the link can be made");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&path)));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("emacs/session.el");
    let run = Command::new("emacs")
        .args(["--batch", "--load"])
        .arg(script)
        .current_dir(folder)
        .env("HOME", folder)
        .env("PATH", path.expect("the folder has no separator of paths"))
        .env("WARPLENS_RECIPE", recipe)
        .env("WARPLENS_FILE", file)
        .env("WARPLENS_OUTPUT", &output)
        .output()
        .expect("Emacs runs");
    std::fs::read_to_string(&output)
        .unwrap_or_else(|_| panic!("no answer: {}", String::from_utf8_lossy(&run.stderr)))
}

/// The recipe for Emacs.
#[cfg(unix)]
fn recipe() -> &'static str {
    let (_, rest) = RECIPES.split_once("```elisp\n").expect("a block of Emacs Lisp");
    rest.split_once("```").expect("its end").0
}
