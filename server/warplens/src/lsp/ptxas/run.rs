//! One run of ptxas, on a thread of its own, in a temporary folder that is removed afterwards.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ropey::Rope;
use thiserror::Error;

/// The limit of the duration of a run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The interval at which the end of a run is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The reason that ptxas did not run.
#[derive(Debug, Error)]
pub(crate) enum PtxasError {
    #[error("the setting `warplens.ptxas.path` is empty")]
    NoPath,
    #[error("ptxas assembles only PTX")]
    Language,
    #[error("the file has no `.target`, so ptxas is not run")]
    NoTarget,
    #[error("settings `warplens.ptxas.path`: cannot run {}: {error}", program.display())]
    Start { program: PathBuf, error: io::Error },
    #[error("cannot run ptxas: {0}")]
    Io(#[from] io::Error),
    #[error("ptxas exceeded the time limit of {} s", TIMEOUT.as_secs())]
    Timeout,
}

/// The input of a run.
pub(crate) struct Task {
    pub(crate) program: PathBuf,
    pub(crate) text: Rope,
    /// Generates code, which reports the resources of kernels; otherwise ptxas only checks.
    pub(crate) is_complete: bool,
    /// Stops the run when set.
    pub(crate) stop: Arc<AtomicBool>,
}

/// The output of a run.
pub(crate) struct Printed {
    pub(crate) output: String,
    /// The name of the file in the messages.
    pub(crate) file: String,
    pub(crate) accepted: bool,
}

impl Task {
    /// Runs ptxas; `None` when it was stopped.
    pub(crate) fn run(&self) -> Result<Option<Printed>, PtxasError> {
        let target = target(&self.text).ok_or(PtxasError::NoTarget)?;
        let folder = Folder::new()?;
        let file = folder.0.join("input.ptx");
        let mut out = io::BufWriter::new(std::fs::File::create(&file)?);
        self.text.write_to(&mut out)?;
        out.flush()?;
        let log = folder.0.join("log");
        let Some(status) = self.wait(self.start(&target, &folder.0, &file, &log)?)? else { return Ok(None) };
        let output = std::fs::read(&log)?;
        Ok(Some(Printed {
            output: String::from_utf8_lossy(&output).into_owned(),
            file: file.to_string_lossy().into_owned(),
            accepted: status.success(),
        }))
    }

    fn start(&self, target: &str, folder: &Path, file: &Path, log: &Path) -> Result<Child, PtxasError> {
        let log = std::fs::File::create(log)?;
        let mut command = Command::new(&self.program);
        if self.is_complete {
            command.args(["-v", "-arch", &format!("sm_{target}"), "-o"]).arg(folder.join("out.cubin"));
        } else {
            command.args(["-arch", &format!("compute_{target}")]);
        }
        command.arg(file).current_dir(folder).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        command.spawn().map_err(|error| PtxasError::Start { program: self.program.clone(), error })
    }

    fn wait(&self, mut child: Child) -> Result<Option<ExitStatus>, PtxasError> {
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            let is_late = started.elapsed() > TIMEOUT;
            if is_late || self.stop.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                return if is_late { Err(PtxasError::Timeout) } else { Ok(None) };
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The architecture in `.target`, without `sm_`.
fn target(text: &Rope) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.chars().skip_while(|c| c.is_whitespace()).take(8).eq(".target ".chars()))?;
    let line = line.to_string();
    let word = line.split("sm_").nth(1)?;
    Some(word.chars().take_while(char::is_ascii_alphanumeric).collect())
}

/// A temporary folder. Dropping it removes it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warplens-{}-{number}", std::process::id()));
        // Fails for an existing folder, which may belong to another user.
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_a_file() {
        let of = |text: &str| target(&Rope::from_str(text));
        assert_eq!(of(".version 8.5\n.target sm_90a, debug\n").as_deref(), Some("90a"));
        assert_eq!(of("// .target sm_20\n  .target sm_100f\n").as_deref(), Some("100f"));
        assert_eq!(of(".version 8.5\n"), None);
    }
}
