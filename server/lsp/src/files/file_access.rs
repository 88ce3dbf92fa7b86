//! Lets a handler read files on a separate thread, so that a file system that does not respond delays neither edits nor requests about
//! other documents.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warplens_system::clock::Instant;

use crossbeam_channel::{RecvTimeoutError, bounded};

use crate::documents::snapshot::{Failure, Snapshot};
use crate::launch_file;

/// The time after which a file system counts as not responding.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a waiting handler checks whether an edit has cancelled it.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// An access in progress.
struct Access {
    number: u64,
    folder: PathBuf,
    started: Instant,
}

static IN_PROGRESS: Mutex<Vec<Access>> = Mutex::new(Vec::new());

fn with_accesses<T>(change: impl FnOnce(&mut Vec<Access>) -> T) -> T {
    change(&mut IN_PROGRESS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs work that reads files for the document of a snapshot. It is refused at once while an earlier access for a document in the same
/// folder is stuck.
pub(crate) fn read_files<T: Send + 'static>(
    snapshot: &Snapshot,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let document = launch_file::path(&snapshot.uri);
    let folder = document.parent().unwrap_or(Path::new("")).to_path_buf();
    run(folder, work, || Ok(snapshot.analysis.check_cancelled(snapshot.file)?))
}

fn run<T: Send + 'static>(
    folder: PathBuf,
    work: impl FnOnce() -> T + Send + 'static,
    check: impl Fn() -> Result<(), Failure>,
) -> Result<T, Failure> {
    // A page has no threads, and its files answer at once.
    if cfg!(target_family = "wasm") {
        return Ok(work());
    }
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let no_response = || {
        let message = format!("the file system of {} does not respond", folder.display());
        Err(Failure::Refused(message))
    };
    let is_stuck = |access: &Access| access.folder == folder && access.started.elapsed() >= PATIENCE;
    if with_accesses(|accesses| accesses.iter().any(is_stuck)) {
        return no_response();
    }
    let (number, started) = (NUMBER.fetch_add(1, Ordering::Relaxed), Instant::now());
    with_accesses(|accesses| accesses.push(Access { number, folder: folder.clone(), started }));
    let (done, result) = bounded(1);
    let thread = std::thread::Builder::new().name("files".to_owned()).spawn(move || {
        let _end = End(number);
        let _ = done.send(work());
    });
    if let Err(error) = thread {
        drop(End(number));
        return Err(Failure::Refused(format!("cannot start a thread: {error}")));
    }
    loop {
        match result.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Panicked("reading files failed".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if started.elapsed() >= PATIENCE => return no_response(),
            Err(RecvTimeoutError::Timeout) => check()?,
        }
    }
}

/// Removes an access when it ends, even by a panic.
struct End(u64);

impl Drop for End {
    fn drop(&mut self) {
        with_accesses(|accesses| accesses.retain(|access| access.number != self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stuck_access_is_refused_and_the_next_one_at_once() {
        let (release, blocked) = bounded::<()>(0);
        let folder = PathBuf::from("/stuck");
        let stuck = run(folder.clone(), move || blocked.recv(), || Ok(()));
        assert!(matches!(stuck, Err(Failure::Refused(message)) if message.contains("/stuck")));
        assert!(matches!(run(folder.clone(), || 1, || Ok(())), Err(Failure::Refused(_))));
        assert!(matches!(run(PathBuf::from("/other"), || 1, || Ok(())), Ok(1)));
        release.send(()).expect("it waits");
        while with_accesses(|accesses| accesses.iter().any(|access| access.folder == folder)) {
            std::thread::yield_now();
        }
        assert!(matches!(run(folder, || 1, || Ok(())), Ok(1)));
    }

    #[test]
    fn an_edit_ends_the_wait() {
        let (release, blocked) = bounded::<()>(0);
        let cancelled = run(PathBuf::from("/edited"), move || blocked.recv(), || Err(Failure::Cancelled));
        assert!(matches!(cancelled, Err(Failure::Cancelled)));
        drop(release);
    }
}
