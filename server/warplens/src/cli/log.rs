//! The log, on standard error or in a file. Standard output is for the protocol.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use thiserror::Error;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// The level of the log: `error`, `warn` (the default), `info`, `debug`, `trace`, or a level for each module.
const VARIABLE: &str = "WARPLENS_LOG";

/// The log cannot be written as requested.
#[derive(Debug, Error)]
pub(super) enum LogError {
    #[error("{VARIABLE}={filter}: {error}")]
    Filter { filter: String, error: ParseError },
    #[error("cannot write the log to {}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
}

pub(super) fn start(file: Option<&Path>) -> Result<(), LogError> {
    let filter = match std::env::var(VARIABLE) {
        Ok(filter) => filter.parse::<Targets>().map_err(|error| LogError::Filter { filter, error })?,
        Err(_) => Targets::new().with_default(LevelFilter::WARN),
    };
    match file {
        Some(path) => {
            let file = File::options().create(true).append(true).open(path);
            let file = file.map_err(|error| LogError::File { path: path.to_path_buf(), error })?;
            let layer = fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
            registry().with(layer.with_filter(filter)).init();
        }
        None => {
            let layer = fmt::layer().with_ansi(io::stderr().is_terminal()).with_writer(io::stderr);
            registry().with(layer.with_filter(filter)).init();
        }
    }
    Ok(())
}
