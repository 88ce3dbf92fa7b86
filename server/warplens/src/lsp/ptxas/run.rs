//! One run of ptxas, on a thread of its own, in a folder of its own that goes with it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ropey::Rope;

/// A run that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether a run is over.
const GLANCE: Duration = Duration::from_millis(5);

/// What is to be run.
pub(super) struct Task {
    pub(super) program: PathBuf,
    pub(super) text: Rope,
    /// Code as well, to see what kernels use; else only the checks.
    pub(super) whole: bool,
    /// Set by whoever is not interested any more.
    pub(super) stop: Arc<AtomicBool>,
}

/// What came of it.
pub(super) struct Printed {
    pub(super) output: String,
    /// The name of the file in the messages.
    pub(super) file: String,
    pub(super) accepted: bool,
}

impl Task {
    /// Runs it; `None` when it was stopped.
    pub(super) fn run(&self) -> Result<Option<Printed>, String> {
        let Some(target) = target(&self.text) else {
            return Err("the file has no `.target`, so ptxas is not run".into());
        };
        let folder = Folder::new().map_err(|error| format!("no folder for ptxas: {error}"))?;
        let file = folder.0.join("input.ptx");
        let written = std::fs::File::create(&file).and_then(|out| {
            let mut out = io::BufWriter::new(out);
            self.text.write_to(&mut out)?;
            out.flush()
        });
        written.map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
        let log = folder.0.join("log");
        let Some(status) = self.wait(self.start(&target, &folder.0, &file, &log)?)? else { return Ok(None) };
        let output = std::fs::read(&log).map_err(|error| format!("what ptxas said is lost: {error}"))?;
        Ok(Some(Printed {
            output: String::from_utf8_lossy(&output).into_owned(),
            file: file.to_string_lossy().into_owned(),
            accepted: status.success(),
        }))
    }

    fn start(&self, target: &str, folder: &Path, file: &Path, log: &Path) -> Result<Child, String> {
        let said = |error: io::Error| {
            let program = self.program.display();
            format!("settings `warplens.ptxas.path`: {program} cannot be run: {error}")
        };
        let log = std::fs::File::create(log).map_err(said)?;
        let mut command = Command::new(&self.program);
        if self.whole {
            command.args(["-v", "-arch", &format!("sm_{target}"), "-o"]).arg(folder.join("out.cubin"));
        } else {
            command.args(["-arch", &format!("compute_{target}")]);
        }
        let errors = log.try_clone().map_err(said)?;
        command.arg(file).current_dir(folder).stdin(Stdio::null()).stdout(log).stderr(errors);
        command.spawn().map_err(said)
    }

    fn wait(&self, mut child: Child) -> Result<Option<ExitStatus>, String> {
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Ok(Some(status));
            }
            let is_late = begun.elapsed() > PATIENCE;
            if is_late || self.stop.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = PATIENCE.as_secs();
                return if is_late { Err(format!("ptxas took longer than {seconds} s")) } else { Ok(None) };
            }
            std::thread::sleep(GLANCE);
        }
    }
}

/// What stands after `sm_` in `.target`.
fn target(text: &Rope) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.chars().skip_while(|c| c.is_whitespace()).take(8).eq(".target ".chars()))?;
    let line = line.to_string();
    let word = line.split("sm_").nth(1)?;
    Some(word.chars().take_while(char::is_ascii_alphanumeric).collect())
}

/// A folder of a run; it goes when the run is over.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("warplens-{}-{number}", std::process::id()));
        // Fails where there is one already: nobody else's folder is written to.
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
