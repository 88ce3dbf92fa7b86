//! The log: to standard error or a file, never to standard output, which belongs to the protocol.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

/// Which messages are kept: `error`, `warn` (the default), `info`, `debug`, `trace`, or a filter by module.
const VARIABLE: &str = "WARPLENS_LOG";

/// Starts the log of the process.
pub(super) fn start(file: Option<&Path>) -> Result<(), String> {
    let filter = match std::env::var(VARIABLE) {
        Ok(filter) => EnvFilter::try_new(&filter).map_err(|error| format!("{VARIABLE}={filter}: {error}"))?,
        Err(_) => EnvFilter::new("warn"),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter);
    match file {
        Some(path) => {
            let file = File::options().create(true).append(true).open(path);
            let file =
                file.map_err(|error| format!("cannot write the log to {}: {error}", path.display()))?;
            log.with_ansi(false).with_writer(Mutex::new(file)).init();
        }
        None => log.with_ansi(io::stderr().is_terminal()).with_writer(io::stderr).init(),
    }
    Ok(())
}
