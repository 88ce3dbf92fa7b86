//! The log, on standard error or in a file. Standard output is for the protocol.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Result, anyhow};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

use warplens_system::disk::new_file::append;

/// The level of the log: `error`, `warn` (the default), `info`, `debug`, `trace`, or a level for each module.
const VARIABLE: &str = "WARPLENS_LOG";

pub(super) fn start(file: Option<&Path>) -> Result<()> {
    let filter = match std::env::var(VARIABLE) {
        Ok(filter) => filter.parse::<Targets>().map_err(|error| anyhow!("{VARIABLE}={filter}: {error}"))?,
        Err(_) => Targets::new().with_default(LevelFilter::WARN),
    };
    match file {
        Some(path) => {
            let file = append(path).map_err(|error| anyhow!("cannot write the log to {error}"))?;
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
