//! The external assembler and disassembler, which a user may configure: PTX to the listing of its machine code.
//!
//! Both are separate processes with a time limit, in a temporary folder that is removed afterwards.

mod error;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::process::{self, Ended, Failure, Limits};
use crate::ptx_target::ptx_target;
use error::{MAX_LISTING, MAX_MESSAGES, NVDISASM_VARIABLE, PTXAS_VARIABLE};

pub(crate) use error::ToolError;

/// An assembler and its disassembler.
#[derive(Debug, Clone)]
pub(crate) struct Toolchain {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
    limit: Duration,
}

impl Toolchain {
    /// The tools at a path, or those that the environment names. The disassembler is the one beside the assembler, if there is one.
    pub(crate) fn find(ptxas: Option<&Path>, limit: Duration) -> Result<Toolchain, ToolError> {
        let given = ptxas.map(Path::to_path_buf).or_else(|| variable(PTXAS_VARIABLE));
        let ptxas = given.or_else(|| in_path("ptxas")).ok_or(ToolError::NoPtxas)?;
        let beside = ptxas.parent().map(|folder| folder.join("nvdisasm")).filter(|path| path.is_file());
        let nvdisasm = beside.or_else(|| variable(NVDISASM_VARIABLE)).or_else(|| in_path("nvdisasm"));
        let nvdisasm = nvdisasm.ok_or_else(|| ToolError::NoNvdisasm { ptxas: ptxas.clone() })?;
        Ok(Toolchain { ptxas, nvdisasm, limit })
    }

    /// The version of the assembler: `13.5.37`.
    pub(crate) fn version(&self) -> Result<String, ToolError> {
        let ended = self.run(&self.ptxas, &["--version".into()], Path::new("."))?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        let version =
            text.split_once(", V").map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default());
        version.map(str::to_owned).ok_or_else(|| self.no_listing(&self.ptxas, &text))
    }

    /// The listing of PTX for a target such as `sm_90`, with the PTX line of each instruction.
    pub(crate) fn listing(&self, ptx: &str, target: &str, level: u8) -> Result<String, ToolError> {
        let folder = tempfile::Builder::new().prefix("warplens-").tempdir().map_err(ToolError::Folder)?;
        let (input, output) = (folder.path().join("input.ptx"), folder.path().join("output.cubin"));
        std::fs::write(&input, ptx).map_err(ToolError::Folder)?;
        let arguments = [
            "-arch".into(),
            target.into(),
            format!("-O{level}").into(),
            "-lineinfo".into(),
            input.clone().into_os_string(),
            "-o".into(),
            output.clone().into_os_string(),
        ];
        let ended = self.run(&self.ptxas, &arguments, folder.path())?;
        self.check(&self.ptxas, &ended, &input)?;
        if !output.is_file() {
            return Err(ToolError::NoOutput { program: self.ptxas.clone() });
        }
        let arguments = ["-gp".into(), output.clone().into_os_string()];
        let ended = self.run(&self.nvdisasm, &arguments, folder.path())?;
        self.check(&self.nvdisasm, &ended, &output)?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        match text.contains("/*0000*/") {
            true => Ok(text),
            false => Err(self.no_listing(&self.nvdisasm, &text)),
        }
    }

    fn run(&self, program: &Path, arguments: &[OsString], folder: &Path) -> Result<Ended, ToolError> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = || program.to_path_buf();
        let ended = process::run(&mut command, &Limits { time: self.limit, output: MAX_LISTING, stop: None });
        match ended {
            Ok(ended) if ended.is_cut => Err(ToolError::Long { program: program() }),
            Ok(ended) => Ok(ended),
            Err(Failure::Start(error) | Failure::Wait(error)) => {
                Err(ToolError::Start { program: program(), error })
            }
            Err(Failure::Late | Failure::Stopped) => {
                Err(ToolError::Late { program: program(), limit: self.limit })
            }
        }
    }

    fn no_listing(&self, program: &Path, text: &str) -> ToolError {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        ToolError::NoListing { program: program.to_path_buf(), first: first.chars().take(80).collect() }
    }

    fn check(&self, program: &Path, ended: &Ended, input: &Path) -> Result<(), ToolError> {
        if ended.status.success() {
            return Ok(());
        }
        let name = input.to_string_lossy();
        // Assemblers print messages to either.
        let printed = &ended.output[..ended.output.len().min(MAX_MESSAGES)];
        let messages =
            String::from_utf8_lossy(&[&ended.errors[..], printed].concat()).replace(&*name, "the file");
        let lines: Vec<&str> = messages.lines().filter(|line| !line.trim().is_empty()).take(5).collect();
        let messages = if lines.is_empty() { "it printed no message".to_owned() } else { lines.join("; ") };
        Err(ToolError::Rejected { program: program.to_path_buf(), messages })
    }
}

/// The target in the text of a module: `sm_90a`.
pub(crate) fn target_of(ptx: &str) -> Result<String, ToolError> {
    ptx_target(ptx.lines().map(Cow::Borrowed)).ok_or(ToolError::NoTarget)
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests;
