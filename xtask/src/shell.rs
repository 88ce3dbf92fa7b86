//! Runs other programs, and finds them on PATH.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::skipped;

/// Runs `program` in `folder` (relative to the workspace root), showing its output.
pub(crate) fn run(folder: &str, program: &str, args: &[&str]) -> Result<()> {
    command(folder, program, args).run()
}

/// The same, for callers that change the environment first.
pub(crate) fn command(folder: &str, program: &str, args: &[&str]) -> Step {
    let mut command = Command::new(program);
    command.args(args).current_dir(crate::project::project_root().join(folder));
    command.env(skipped::VARIABLE, skipped::notes());
    Step { line: format!("{program} {}", args.join(" ")), command }
}

/// A command that has not run yet.
pub(crate) struct Step {
    line: String,
    command: Command,
}

impl Step {
    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Step {
        self.command.env(name, value);
        self
    }

    /// Runs it and waits; an exit code other than 0 is an error.
    pub(crate) fn run(mut self) -> Result<()> {
        let status = self.command.status().with_context(|| format!("cannot run `{}`", self.line))?;
        self.success(status)
    }

    /// The same, with its output in one piece at its end, for commands that run at the same time.
    pub(crate) fn run_captured(mut self) -> Result<()> {
        let output = self.command.output().with_context(|| format!("cannot run `{}`", self.line))?;
        let text = [output.stdout, output.stderr].concat();
        println!("{}", String::from_utf8_lossy(&text));
        self.success(output.status)
    }

    /// Runs it, and returns what it prints on standard output.
    pub(crate) fn stdout(mut self) -> Result<String> {
        self.command.stderr(Stdio::inherit());
        let output = self.command.output().with_context(|| format!("cannot run `{}`", self.line))?;
        self.success(output.status)?;
        Ok(String::from_utf8(output.stdout)?)
    }

    fn success(&self, status: ExitStatus) -> Result<()> {
        if !status.success() {
            bail!("`{}` failed ({status})", self.line);
        }
        Ok(())
    }
}

/// Runs commands in their order, one for each core at once but not more than two: each uses more than one core at times. The output of a
/// command is printed when it ends. Returns the names of those that failed.
pub(crate) fn run_at_once(steps: Vec<(&'static str, Step)>) -> Vec<&'static str> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get().min(2));
    let waiting = Mutex::new(steps.into_iter());
    let next = || waiting.lock().ok()?.next();
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some((name, step)) = next() {
                    println!("=== {name} runs");
                    if step.run_captured().is_err() {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(name);
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a program of this name is on PATH.
pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_file(&folder.join(program)))
}

/// The text of a path, for an argument.
pub(crate) fn path_text(path: &Path) -> Result<&str> {
    path.to_str().context("the path of the project is not valid UTF-8")
}

fn is_file(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}
