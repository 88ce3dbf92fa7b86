//! Assembles PTX with `ptxas` and prints the machine code with `nvdisasm`, if the user has both.
//!
//! Both run as separate processes with limits of time and output, in a temporary folder that is removed
//! afterwards.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};

use crate::process::{self, Ended, Failure, FileLimit, Limits};
use crate::ptx_target::ptx_target;

/// Environment variables with the paths of the tools.
const PTXAS_VARIABLE: &str = "WARPLENS_PTXAS";
const NVDISASM_VARIABLE: &str = "WARPLENS_NVDISASM";

/// In bytes.
const MAX_LISTING: u64 = 256 << 20;
/// In bytes, of the file that an assembler writes.
const MAX_CUBIN: u64 = 256 << 20;
/// In characters, of the messages that are shown.
const MAX_MESSAGE: usize = 2000;
/// How many bytes of standard output are searched for messages.
const MAX_MESSAGES: usize = 1 << 20;

#[derive(Debug, Clone)]
pub struct Toolchain {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
    limit: Duration,
    /// Setting it stops the tools.
    stop: Option<Arc<AtomicBool>>,
}

impl Toolchain {
    /// Finds the tools at a path, in the environment variables or in `PATH`. A disassembler next to the
    /// assembler takes precedence.
    pub fn find(ptxas: Option<&Path>, limit: Duration) -> Result<Toolchain> {
        let given = ptxas.map(Path::to_path_buf).or_else(|| variable(PTXAS_VARIABLE));
        let ptxas = given.map(process::resolved).or_else(|| in_path("ptxas"));
        let ptxas = ptxas.with_context(|| {
            format!(
                "no ptxas: give its path (`--ptxas PATH`), set {PTXAS_VARIABLE}, or add its folder to PATH; Warplens does not contain one"
            )
        })?;
        let nvdisasm = beside(&ptxas).or_else(|| variable(NVDISASM_VARIABLE)).or_else(|| in_path("nvdisasm"));
        let nvdisasm = nvdisasm.with_context(|| {
            format!(
                "no nvdisasm beside {}, in {NVDISASM_VARIABLE} or in PATH; it is the package `nvidia-cuda-nvdisasm` of pip",
                ptxas.display()
            )
        })?;
        Ok(Toolchain { ptxas, nvdisasm, limit, stop: None })
    }

    /// The tools that the editor settings name. By default the disassembler is the one next to the assembler.
    pub fn of_settings(
        ptxas: &str,
        nvdisasm: &str,
        limit: Duration,
        stop: Arc<AtomicBool>,
    ) -> Result<Toolchain> {
        let path =
            |setting: &str| Some(PathBuf::from(setting.trim())).filter(|path| !path.as_os_str().is_empty());
        let ptxas = path(ptxas).map(process::resolved).context(
            "there is no assembler: set `warplens.ptxas.path` to the path of NVIDIA's `ptxas`, and `warplens.sass.nvdisasm` to that of \
             `nvdisasm` unless it is beside it; they are the packages `nvidia-cuda-nvcc` and `nvidia-cuda-nvdisasm` of pip",
        )?;
        let nvdisasm = path(nvdisasm).or_else(|| beside(&ptxas));
        let nvdisasm = nvdisasm.with_context(|| {
            format!(
                "there is no disassembler beside {}: set `warplens.sass.nvdisasm` to the path of NVIDIA's `nvdisasm`, which is the package \
                 `nvidia-cuda-nvdisasm` of pip",
                ptxas.display()
            )
        })?;
        Ok(Toolchain { ptxas, nvdisasm, limit, stop: Some(stop) })
    }

    /// The targets that the assembler's help lists, such as `sm_90`; empty if it lists none.
    pub fn targets(&self) -> Result<Vec<String>> {
        let ended = self.run(&self.ptxas, &["--help".into()], Path::new("."), None)?;
        let text = String::from_utf8_lossy(&ended.output);
        // The help quotes the values of `--gpu-name`: 'sm_90','sm_90a'.
        let quoted = text.split('\'').filter(|word| number(word).is_some_and(|number| number > 0));
        let mut targets: Vec<String> = quoted.map(str::to_owned).collect();
        targets.sort_by_key(|target| (number(target), target.clone()));
        targets.dedup();
        Ok(targets)
    }

    /// The version of the assembler: `13.5.37`.
    pub fn version(&self) -> Result<String> {
        let ended = self.run(&self.ptxas, &["--version".into()], Path::new("."), None)?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        let version =
            text.split_once(", V").map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default());
        version.map(str::to_owned).ok_or_else(|| no_listing(&self.ptxas, &text))
    }

    /// Assembles PTX for a target such as `sm_90` and lists the result, with the PTX line of each
    /// instruction.
    pub fn listing(&self, ptx: &str, target: &str, level: u8) -> Result<String> {
        let folder = tempfile::Builder::new().prefix("warplens-").tempdir().map_err(no_folder)?;
        let (input, output) = (folder.path().join("input.ptx"), folder.path().join("output.cubin"));
        std::fs::write(&input, ptx).map_err(no_folder)?;
        let arguments = [
            "-arch".into(),
            target.into(),
            format!("-O{level}").into(),
            "-lineinfo".into(),
            input.clone().into_os_string(),
            "-o".into(),
            output.clone().into_os_string(),
        ];
        let written = FileLimit { path: &output, bytes: MAX_CUBIN };
        let ended = self.run(&self.ptxas, &arguments, folder.path(), Some(written))?;
        self.check(&self.ptxas, &ended, &input)?;
        ensure!(output.is_file(), "{} ended without an output file", self.ptxas.display());
        let arguments = ["-gp".into(), output.clone().into_os_string()];
        let ended = self.run(&self.nvdisasm, &arguments, folder.path(), None)?;
        self.check(&self.nvdisasm, &ended, &output)?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        if text.contains("/*0000*/") { Ok(text) } else { Err(no_listing(&self.nvdisasm, &text)) }
    }

    fn run(
        &self,
        program: &Path,
        arguments: &[OsString],
        folder: &Path,
        file: Option<FileLimit<'_>>,
    ) -> Result<Ended> {
        let mut command = process::command(program);
        command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = program.display();
        let limits = Limits { time: self.limit, output: MAX_LISTING, file, stop: self.stop.as_deref() };
        match process::run(&mut command, &limits) {
            Ok(ended) if ended.is_cut => {
                bail!("{program} printed more than {} MB and was stopped", MAX_LISTING >> 20)
            }
            Ok(ended) => Ok(ended),
            Err(Failure::LargeFile) => {
                bail!("{program} wrote a file of more than {} MB and was stopped", MAX_CUBIN >> 20)
            }
            Err(Failure::Start(error) | Failure::Wait(error)) => bail!("cannot run {program}: {error}"),
            Err(Failure::Late) => {
                bail!("{program} exceeded the time limit of {} s and was stopped", self.limit.as_secs())
            }
            Err(Failure::Stopped) => bail!("{program} was stopped"),
        }
    }

    fn check(&self, program: &Path, ended: &Ended, input: &Path) -> Result<()> {
        if ended.status.success() {
            return Ok(());
        }
        let (program, name) = (program.display(), input.to_string_lossy());
        ensure!(!ended.is_signaled(), "{program} was ended by a signal ({})", ended.status);
        // Some assemblers print messages to standard output.
        let printed = &ended.output[..ended.output.len().min(MAX_MESSAGES)];
        let messages =
            String::from_utf8_lossy(&[&ended.errors[..], printed].concat()).replace(&*name, "the file");
        let lines: Vec<&str> = messages.lines().filter(|line| !line.trim().is_empty()).take(5).collect();
        let messages = if lines.is_empty() { "it printed no message".to_owned() } else { lines.join("; ") };
        let messages: String = messages.chars().filter(|char| !char.is_control()).take(MAX_MESSAGE).collect();
        bail!("{program} rejects the file: {messages}")
    }
}

fn no_listing(program: &Path, text: &str) -> Error {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    let first: String = first.chars().take(80).collect();
    anyhow!("{} printed something else than a listing: {first}", program.display())
}

fn no_folder(error: std::io::Error) -> Error {
    anyhow!("cannot use a temporary folder: {error}")
}

/// The target in the text of a PTX module, such as `sm_90a`.
pub fn target_of(ptx: &str) -> Result<String> {
    ptx_target(ptx.lines().map(Cow::Borrowed)).context("the file has no `.target`; name one with `--target`")
}

/// The number of a target: 90 for `sm_90a`.
pub fn number(target: &str) -> Option<u32> {
    let rest = target.strip_prefix("sm_")?;
    let digits = rest.trim_end_matches(|char: char| char.is_ascii_lowercase());
    (rest.len() - digits.len() <= 1).then(|| digits.parse().ok()).flatten()
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The disassembler in the folder of an assembler.
fn beside(ptxas: &Path) -> Option<PathBuf> {
    Some(ptxas.parent()?.join(program_file("nvdisasm"))).filter(|path| path.is_file())
}

fn in_path(program: &str) -> Option<PathBuf> {
    process::in_path(Path::new(&program_file(program)))
}

/// The file name of a program on this operating system.
fn program_file(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests;
