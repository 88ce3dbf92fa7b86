//! `warplens run` finds an interpreter and starts the Python package, here one that prints what it was given.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use warplens_test_support::skip;

use crate::support::{Folder, server};

const PACKAGE: &str =
    "import os, sys\nprint(os.path.basename(os.environ['WARPLENS']), sys.argv[1:])\nsys.exit(7)\n";

fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let found = output.ok().filter(|output| output.status.success());
    let path = found.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    if path.is_none() {
        skip("python3 was not found");
    }
    path
}

fn run(folder: &Path, packages: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(server());
    command
        .arg("run")
        .args(arguments)
        .current_dir(folder)
        .env("PYTHONPATH", packages)
        .env_remove("VIRTUAL_ENV");
    command.output().expect("the program starts")
}

#[test]
fn the_package_gets_options_and_arguments_and_decides_the_exit_code() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    folder.write("packages/warplens/__main__.py", PACKAGE);
    folder.write("packages/triton.py", "");
    let packages = folder.path().join("packages");
    let python = python.to_str().expect("a path of UTF-8");
    let arguments = ["--python", python, "--target", "sm_90", "--no-checks", "k.py", "--save", "a b"];
    let output = run(folder.path(), &packages, &arguments);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(printed.ends_with("['--target=sm_90', '--no-checks', 'k.py', '--save', 'a b']"), "{printed}");
    assert!(printed.starts_with("warplens"), "{printed}");
}

#[test]
fn what_is_missing_is_said_in_a_sentence() {
    let folder = Folder::new();
    let nowhere = folder.path().join("python");
    let output = run(folder.path(), folder.path(), &["--python", nowhere.to_str().expect("UTF-8"), "k.py"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        format!(
            "warplens: there is no Python interpreter {}: install Python 3, or name one with `--python PATH`\n",
            nowhere.display()
        )
    );
    let Some(python) = python() else { return };
    folder.write("packages/warplens/__init__.py", "");
    let python = python.to_str().expect("a path of UTF-8");
    // An interpreter that has packages of its own is asked only for what it lacks.
    let isolated = folder.write("python.sh", format!("#!/bin/sh\nexec '{python}' -S \"$@\"\n"));
    if cfg!(unix) {
        #[cfg(unix)]
        std::fs::set_permissions(&isolated, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("permissions can be set");
        let isolated = isolated.to_str().expect("UTF-8");
        let output = run(folder.path(), folder.path(), &["--python", isolated, "k.py"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("does not have the package warplens: run `"), "{message}");
    }
}
