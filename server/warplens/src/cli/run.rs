//! `warplens run`: runs a Python script with the Python package `warplens`, which simulates the kernels that it launches.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::outcome::unusable;

#[derive(Args)]
pub(super) struct Arguments {
    /// The Python interpreter (default: the one beside this program, or that of the active virtual environment, or `python3`)
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,

    /// The GPU that kernels are compiled for (default: sm_80)
    #[arg(long, value_name = "sm_80")]
    target: Option<OsString>,

    /// Save each launch in a folder of DIR, with its kernel and its buffers; `warplens sim` replays it
    #[arg(long, value_name = "DIR")]
    save: Option<OsString>,

    /// What is printed after the output of the script
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json"])]
    format: Option<String>,

    /// Simulate only the launches of this kernel
    #[arg(long, value_name = "KERNEL")]
    only: Option<OsString>,

    /// Simulate only the first N launches
    #[arg(long, value_name = "N")]
    max_launches: Option<u64>,

    /// Do not check for data races, uninitialized reads and divisions by zero, which is faster
    #[arg(long)]
    no_checks: bool,

    /// The divergence model
    #[arg(long, value_name = "NAME")]
    model: Option<OsString>,

    /// Limit of warp instructions of a launch
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,

    /// Limit in megabytes for the trace and the shadow memory of a launch
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,

    /// The script and its arguments, or a trace of TritonParse (.ndjson). Options of `warplens run` come before it
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_names = ["SCRIPT.py", "ARGS"])]
    script: Vec<OsString>,
}

/// Runs the script, and ends with its exit code. On Unix the interpreter takes the place of this process, so that signals reach it.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match command(arguments).and_then(|command| Ok(become_command(command)?)) {
        Ok(code) => code,
        Err(error) => unusable(format!("{error:#}")).code().into(),
    }
}

fn command(arguments: &Arguments) -> Result<Command> {
    let program = env::current_exe().context("the path of this program is unknown")?;
    let python = match &arguments.python {
        Some(python) => python.clone(),
        None => interpreter(&program, env::var_os("VIRTUAL_ENV").as_deref().map(Path::new)),
    };
    check_package(&python)?;
    let mut command = Command::new(&python);
    command
        .env("WARPLENS", &program)
        .args(["-m", "warplens"])
        .args(arguments.options())
        .args(&arguments.script);
    Ok(command)
}

impl Arguments {
    /// The options, as the package takes them.
    fn options(&self) -> Vec<OsString> {
        let number = |number: Option<u64>| number.map(|number| OsString::from(number.to_string()));
        let given = [
            ("--target", self.target.clone()),
            ("--save", self.save.clone()),
            ("--format", self.format.clone().map(OsString::from)),
            ("--only", self.only.clone()),
            ("--max-launches", number(self.max_launches)),
            ("--model", self.model.clone()),
            ("--max-steps", number(self.max_steps)),
            ("--memory", number(self.memory)),
        ];
        let mut options = Vec::new();
        for (name, value) in given {
            if let Some(value) = value {
                // One word, so that a value may start with a hyphen.
                let mut option = OsString::from(name);
                option.push("=");
                option.push(value);
                options.push(option);
            }
        }
        if self.no_checks {
            options.push("--no-checks".into());
        }
        options
    }
}

/// The interpreter beside the program, as in an environment into which the wheel was installed, or else that of the active environment, or
/// else the one on `PATH`.
fn interpreter(program: &Path, environment: Option<&Path>) -> PathBuf {
    let scripts = if cfg!(windows) { "Scripts" } else { "bin" };
    let folders = [program.parent().map(Path::to_path_buf), environment.map(|folder| folder.join(scripts))];
    let names = ["python3", "python"].map(|name| format!("{name}{EXE_SUFFIX}"));
    let mut found = folders.iter().flatten().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    found.find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("python3"))
}

/// Prints whether an interpreter lacks the package.
const MISSING: &str = "import importlib.util; print(importlib.util.find_spec('warplens') is None)";

/// Checks that the interpreter runs and has the package, which says itself what else is missing.
fn check_package(python: &Path) -> Result<()> {
    let shown = python.display();
    let asked =
        Command::new(python).args(["-c", MISSING]).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let asked = match asked {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!(
                "there is no Python interpreter {shown}: install Python 3, or name one with `--python PATH`"
            )
        }
        asked => asked.with_context(|| format!("{shown} cannot be run"))?,
    };
    if !asked.status.success() {
        bail!("{shown} is not a Python 3 that works: name another one with `--python PATH`");
    }
    if asked.stdout.starts_with(b"True") {
        bail!(
            "{shown} does not have the package warplens: run `{shown} -m pip install warplens`, or name another interpreter with \
             `--python PATH`"
        );
    }
    Ok(())
}

#[cfg(unix)]
fn become_command(mut command: Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_command(mut command: Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn words(line: &str) -> String {
        let Line { arguments } = Line::parse_from(line.split(' '));
        let words: Vec<_> = arguments.options().into_iter().chain(arguments.script).collect();
        words.join(" ".as_ref()).into_string().expect("it is text")
    }

    #[test]
    fn options_end_at_the_script() {
        assert_eq!(words("run k.py"), "k.py");
        assert_eq!(
            words("run --target sm_90 --max-launches 3 --no-checks --python p k.py --save x -h -- y"),
            "--target=sm_90 --max-launches=3 --no-checks k.py --save x -h -- y"
        );
        assert!(Line::try_parse_from(["run"]).is_err());
    }

    #[test]
    fn the_interpreter_beside_the_program_comes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (beside, environment) = (folder.path().join("a"), folder.path().join("venv"));
        let scripts = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
        for folder in [&beside, &scripts] {
            fs::create_dir_all(folder).expect("it can be made");
        }
        let program = beside.join("warplens");
        let name = format!("python{EXE_SUFFIX}");
        assert_eq!(interpreter(&program, Some(&environment)), Path::new("python3"));
        fs::write(scripts.join(&name), "").expect("it can be written");
        assert_eq!(interpreter(&program, Some(&environment)), scripts.join(&name));
        assert_eq!(interpreter(&program, None), Path::new("python3"));
        fs::write(beside.join(&name), "").expect("it can be written");
        assert_eq!(interpreter(&program, Some(&environment)), beside.join(&name));
    }

    #[test]
    fn an_interpreter_that_is_missing_is_named() {
        let error = check_package(Path::new("/nowhere/python3")).expect_err("there is none");
        assert_eq!(
            error.to_string(),
            "there is no Python interpreter /nowhere/python3: install Python 3, or name one with `--python PATH`"
        );
    }
}
