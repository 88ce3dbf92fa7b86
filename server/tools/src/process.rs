//! Runs a process with limits, and stops it together with the processes that it started.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often to check whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How many bytes of standard error are kept.
const MAX_ERRORS: u64 = 1 << 20;

pub(crate) struct Limits<'a> {
    pub(crate) time: Duration,
    /// In bytes of standard output, if it is piped.
    pub(crate) output: u64,
    /// Limits a file that the process writes.
    pub(crate) file: Option<FileLimit<'a>>,
    /// Setting it stops the process.
    pub(crate) stop: Option<&'a AtomicBool>,
}

#[derive(Clone, Copy)]
pub(crate) struct FileLimit<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bytes: u64,
}

impl FileLimit<'_> {
    fn is_exceeded(self) -> bool {
        self.path.metadata().is_ok_and(|file| file.len() > self.bytes)
    }
}

pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    /// The start of standard error, if it is piped.
    pub(crate) errors: Vec<u8>,
    /// Whether the process was stopped because its output exceeded the limit.
    pub(crate) is_cut: bool,
}

impl Ended {
    pub(crate) fn is_signaled(&self) -> bool {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(&self.status).is_some();
        #[cfg(not(unix))]
        false
    }
}

/// Why a process did not end on its own.
pub(crate) enum Failure {
    Start(io::Error),
    Wait(io::Error),
    Late,
    LargeFile,
    Stopped,
}

/// A command for a program that may run in any folder; see [`resolved`].
pub(crate) fn command(program: &Path) -> Command {
    Command::new(resolved(program.to_path_buf()))
}

/// The path of a program, absolute if it is found. A relative path starts at the current folder of this process; a bare name is
/// looked up in `PATH`.
pub(crate) fn resolved(program: PathBuf) -> PathBuf {
    if program.file_name() == Some(program.as_os_str()) {
        return in_path(&program).unwrap_or(program);
    }
    std::path::absolute(&program).unwrap_or(program)
}

/// The program with this file name in the folders of `PATH`.
pub(crate) fn in_path(file: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(file)).find(|path| path.is_file())?;
    std::path::absolute(found).ok()
}

/// Runs a program to its end, without input. The command decides where output and errors go.
pub(crate) fn run(command: &mut Command, limits: &Limits<'_>) -> Result<Ended, Failure> {
    command.stdin(Stdio::null());
    own_group(command);
    let mut child = command.spawn().map_err(Failure::Start)?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let is_cut = AtomicBool::new(false);
    thread::scope(|scope| {
        let output = scope.spawn(|| read(output, limits.output, &is_cut));
        let errors = scope.spawn(|| read_start(errors, MAX_ERRORS));
        let status = wait(&mut child, limits, &is_cut);
        // Processes that it started hold the pipes open, so the readers would never end.
        stop(&mut child);
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        Ok(Ended { status: status?, output, errors, is_cut: is_cut.load(Ordering::Relaxed) })
    })
}

fn wait(child: &mut Child, limits: &Limits<'_>, is_cut: &AtomicBool) -> Result<ExitStatus, Failure> {
    let started = Instant::now();
    loop {
        let ended = child.try_wait().map_err(Failure::Wait)?;
        if limits.file.is_some_and(FileLimit::is_exceeded) {
            return Err(Failure::LargeFile);
        }
        if let Some(status) = ended {
            return Ok(status);
        }
        if is_cut.load(Ordering::Relaxed) {
            stop(child);
            return child.wait().map_err(Failure::Wait);
        }
        if limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Failure::Stopped);
        }
        if started.elapsed() > limits.time {
            return Err(Failure::Late);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

fn read(pipe: Option<impl Read>, limit: u64, is_cut: &AtomicBool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // Output before a read error is kept: the exit code tells whether it is complete.
        let _ = pipe.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        is_cut.store(bytes.len() as u64 > limit, Ordering::Relaxed);
    }
    bytes
}

/// Keeps the start, but reads to the end so that the process does not block.
fn read_start(pipe: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.by_ref().take(limit).read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
    }
    bytes
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The process leads its own group. An error means that the group has already ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn run_script(script: &str, output: u64, stop: Option<&AtomicBool>) -> Result<Ended, Failure> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        run(&mut command, &Limits { time: Duration::from_secs(60), output, file: None, stop })
    }

    #[test]
    fn programs_are_resolved_once() {
        let current = std::env::current_dir().unwrap();
        let of = |program: &str| resolved(PathBuf::from(program));
        assert_eq!(of("./ptxas"), current.join("ptxas"));
        assert_eq!(of("bin/ptxas"), current.join("bin/ptxas"));
        assert_eq!(of("/bin/ptxas"), Path::new("/bin/ptxas"));
        assert!(of("sh").is_absolute());
        // A bare name never means a file of the current folder, which may be a workspace of others.
        assert_eq!(of("Cargo.toml"), Path::new("Cargo.toml"));
    }

    #[test]
    fn output_and_errors() {
        let Ok(ended) = run_script("echo out; echo err >&2; exit 3", 100, None) else { panic!("it ends") };
        assert_eq!((ended.status.code(), ended.is_cut), (Some(3), false));
        assert_eq!((ended.output, ended.errors), (b"out\n".to_vec(), b"err\n".to_vec()));
    }

    #[test]
    fn endless_output_is_cut() {
        let Ok(ended) = run_script("trap '' PIPE; while :; do echo line; done", 1000, None) else {
            panic!("it is stopped")
        };
        assert!(ended.is_cut && !ended.status.success());
    }

    #[test]
    fn many_errors_do_not_stop_it() {
        let script = "head -c 3000000 /dev/zero >&2; echo end";
        let Ok(ended) = run_script(script, 100, None) else { panic!("it ends") };
        assert_eq!((ended.output, ended.errors.len() as u64), (b"end\n".to_vec(), MAX_ERRORS));
    }

    #[test]
    fn a_flag_stops_it_and_what_it_started() {
        let stop = AtomicBool::new(true);
        assert!(matches!(run_script("sleep 60 & sleep 60", 100, Some(&stop)), Err(Failure::Stopped)));
    }
}
