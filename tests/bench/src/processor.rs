//! Processor time, which other work on the machine affects only through caches and shared cores.

use std::time::Duration;

use anyhow::{Context, Result};

/// The time that this thread has had a processor.
pub(crate) fn time() -> Result<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat")
        .context("processor time is read from /proc, so on Linux only")?;
    let nanoseconds = times.split_whitespace().next().context("schedstat begins with a time")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}
