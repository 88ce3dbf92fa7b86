//! Runs ptxas once, in a temporary folder that is removed afterwards.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ropey::Rope;
use thiserror::Error;

use crate::process::{self, Failure, FileLimit, Limits};
use crate::ptx_target::ptx_target;

const TIMEOUT: Duration = Duration::from_secs(60);

/// In bytes.
const MAX_LOG: u64 = 16 << 20;

#[derive(Debug, Error)]
pub enum PtxasError {
    #[error("the file has no `.target`, so ptxas is not run")]
    NoTarget,
    #[error("settings `warplens.ptxas.path`: cannot run {}: {error}", program.display())]
    Start { program: PathBuf, error: io::Error },
    #[error("cannot run ptxas: {0}")]
    Io(#[from] io::Error),
    #[error("ptxas printed more than {} MB and was stopped", MAX_LOG >> 20)]
    Long,
    #[error("ptxas exceeded the time limit of {} s", TIMEOUT.as_secs())]
    Timeout,
}

pub struct Invocation {
    pub program: PathBuf,
    pub text: Rope,
    /// Whether to generate code, which reports the resources of kernels; otherwise ptxas only checks the
    /// text.
    pub is_complete: bool,
    /// Setting it stops the run.
    pub stop: Arc<AtomicBool>,
}

pub struct Printed {
    pub output: String,
    /// The path that messages name.
    pub file: String,
    pub accepted: bool,
}

impl Invocation {
    /// Runs ptxas; `None` if it was stopped.
    pub fn run(&self) -> Result<Option<Printed>, PtxasError> {
        let target = ptx_target(self.text.lines().map(Cow::from)).ok_or(PtxasError::NoTarget)?;
        let folder = tempfile::Builder::new().prefix("warplens-").tempdir()?;
        let file = folder.path().join("input.ptx");
        let mut out = io::BufWriter::new(File::create(&file)?);
        self.text.write_to(&mut out)?;
        out.flush()?;
        let log = folder.path().join("log");
        let Some(status) = self.assemble(&target, folder.path(), &file, &log)? else { return Ok(None) };
        let output = std::fs::read(&log)?;
        Ok(Some(Printed {
            output: String::from_utf8_lossy(&output).into_owned(),
            file: file.to_string_lossy().into_owned(),
            accepted: status.success(),
        }))
    }

    /// Runs ptxas with its output redirected to a log; `None` if it was stopped.
    fn assemble(
        &self,
        target: &str,
        folder: &Path,
        file: &Path,
        log: &Path,
    ) -> Result<Option<ExitStatus>, PtxasError> {
        let limits = Limits {
            time: TIMEOUT,
            output: 0,
            file: Some(FileLimit { path: log, bytes: MAX_LOG }),
            stop: Some(&self.stop),
        };
        let log = File::create(log)?;
        let mut command = process::command(&self.program);
        if self.is_complete {
            command.args(["-v", "-arch", target, "-o"]).arg(folder.join("out.cubin"));
        } else {
            command.args(["-arch", &target.replacen("sm_", "compute_", 1)]);
        }
        command.arg(file).current_dir(folder).stdout(log.try_clone()?).stderr(log);
        match process::run(&mut command, &limits) {
            Ok(ended) => Ok(Some(ended.status)),
            Err(Failure::Stopped) => Ok(None),
            Err(Failure::Late) => Err(PtxasError::Timeout),
            Err(Failure::LargeFile) => Err(PtxasError::Long),
            Err(Failure::Start(error)) => Err(PtxasError::Start { program: self.program.clone(), error }),
            Err(Failure::Wait(error)) => Err(PtxasError::Io(error)),
        }
    }
}
