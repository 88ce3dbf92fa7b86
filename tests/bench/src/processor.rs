//! Processor time. Other work on the machine affects it only through caches and shared cores.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

/// The processor time of this thread.
pub(crate) fn time() -> Result<Duration> {
    of_thread("/proc/thread-self".as_ref())
}

/// The processor time of a process, without threads that have ended.
pub(crate) fn of_process(id: u32) -> Result<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task"))
        .context("processor time is read from /proc, so on Linux only")?;
    threads.map(|thread| of_thread(&thread?.path())).sum()
}

/// The processor time of a process including threads that have ended, in ticks of the system.
pub(crate) fn of_ended_threads_too(id: u32) -> Result<Duration> {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat"))
        .context("processor time is read from /proc, so on Linux only")?;
    // The name of the program, in parentheses, may contain spaces.
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

fn of_thread(folder: &Path) -> Result<Duration> {
    let times = std::fs::read_to_string(folder.join("schedstat"))
        .context("processor time is read from /proc, so on Linux only")?;
    let nanoseconds = times.split_whitespace().next().context("schedstat begins with a time")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}
