//! `sim --batch`: runs many launches on all cores. Each launch is a line of JSON, and so is each result, in order of completion.
//!
//! A launch runs on one core. Only the running launches and a few sources are in memory at a time.

mod earlier_results;
mod lines;
pub(crate) mod result;
mod sources;
mod summary;
mod work;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Error, Result, anyhow, bail, ensure};
use warplens_sim_warp::Workers;

use super::arguments::Arguments;
use crate::cli::input::STANDARD_INPUT;
use crate::cli::outcome::{Outcome, unusable};
use earlier_results::EarlierResults;
use lines::Lines;
use summary::Summary;
use warplens_system::cores::Cores;
use work::Batch;

/// Runs the launches of the batch at `path`.
pub(super) fn run(arguments: &Arguments, path: &Path) -> io::Result<Outcome> {
    // An error of I/O is one of the output.
    run_all(arguments, path)
        .or_else(|error| error.downcast().map_or_else(|refused| Ok(unusable(refused)), Err))
}

fn run_all(arguments: &Arguments, path: &Path) -> Result<Outcome> {
    check(arguments)?;
    let lines = Lines::open(path).map_err(|error| unreadable(path, error))?;
    let earlier = match &arguments.resume {
        Some(results) => EarlierResults::read(results).map_err(|error| unreadable(results, error))?,
        None => EarlierResults::default(),
    };
    if earlier.is_cut {
        io::stdout().lock().write_all(b"\n")?;
    }
    let summary = Summary::new(&earlier);
    let batch = Batch::new(arguments, path, lines, earlier, summary);
    Cores::all().together(&|| batch.work());
    let ended = batch.end();
    let outcome = ended.summary.end(ended.read_error.map(|error| unreadable(path, error)));
    match ended.write_error {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

fn unreadable(path: &Path, error: impl Display) -> Error {
    anyhow!("{}: cannot be read: {error}", path.display())
}

fn check(arguments: &Arguments) -> Result<()> {
    let is_input = arguments.file.as_ref().is_some_and(|file| file.as_os_str() == STANDARD_INPUT);
    ensure!(!is_input, "with --batch, FILE must be a file, not standard input");
    match arguments.option_of_lanes().filter(|_| !arguments.full) {
        Some(option) => {
            bail!(
                "{option} needs --full: without it, the results of a batch have no lanes, registers and buffers"
            )
        }
        None => Ok(()),
    }
}
