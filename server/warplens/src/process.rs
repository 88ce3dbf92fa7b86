//! A process with a time limit, whose output is limited too. It is stopped together with the processes that it started.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::error::{MAX_LISTING, MAX_MESSAGES, ToolError};

/// The interval at which the end of a process is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A process that has ended.
pub(super) struct Ended {
    pub(super) is_success: bool,
    /// Standard output.
    pub(super) output: Vec<u8>,
    /// Standard output and error: assemblers print messages to either.
    pub(super) messages: Vec<u8>,
}

/// Runs a program to its end.
pub(super) fn run(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
    limit: Duration,
) -> Result<Ended, ToolError> {
    let failed = |error| ToolError::Start { program: program.to_path_buf(), error };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(folder);
    own_group(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let started = Instant::now();
    thread::scope(|scope| {
        let output = scope.spawn(|| read(output, MAX_LISTING + 1));
        let errors = scope.spawn(|| read(errors, MAX_MESSAGES));
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break Some(status);
            }
            if started.elapsed() > limit {
                break None;
            }
            thread::sleep(POLL_INTERVAL);
        };
        // What it started has the pipes too.
        stop(&mut child);
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        if output.len() as u64 > MAX_LISTING {
            return Err(ToolError::Long { program: program.to_path_buf() });
        }
        let Some(status) = status else {
            return Err(ToolError::Late { program: program.to_path_buf(), limit });
        };
        let kept = output.len().min(MAX_MESSAGES as usize);
        let messages = [&errors[..], &output[..kept]].concat();
        Ok(Ended { is_success: status.success(), output, messages })
    })
}

fn read(pipe: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before an error is kept: the exit code says whether it is whole.
        let _ = pipe.take(limit).read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Stops the process and what it started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The process leads a group of its own. An error means that the group has ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
