//! The system packages of the tests, installed where that is possible: on Debian, as root.
//! Elsewhere the tests without their program are skipped with a message.

use anyhow::Result;

use crate::shell;

/// A program that a test uses, and its packages.
const PROGRAMS: [(&str, &str); 6] = [
    ("chromium", "chromium"),
    ("firefox-esr", "firefox-esr"),
    ("rg", "ripgrep"),
    ("nvim", "neovim"),
    ("emacs", "emacs-nox elpa-eglot"),
    ("parallel", "parallel"),
];

/// Installs the packages of the programs that are missing.
pub(crate) fn ensure_programs() -> Result<()> {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !shell::on_path(program))
        .flat_map(|(_, packages)| packages.split(' '))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !shell::on_path("apt-get") || !is_root() {
        println!("not installed: {} (tests that need them are skipped)", missing.join(", "));
        return Ok(());
    }
    println!("installing {}", missing.join(", "));
    let installed = apt(&["update", "-qq"])
        .and_then(|()| apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &missing[..]].concat()));
    if let Err(error) = installed {
        println!("could not install them ({error:#}); tests that need them are skipped");
    }
    Ok(())
}

fn apt(args: &[&str]) -> Result<()> {
    shell::command(".", "apt-get", args).env("DEBIAN_FRONTEND", "noninteractive").run()
}

/// Whether packages may be installed: the numeric user id, as `id` prints it, is 0.
fn is_root() -> bool {
    std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
