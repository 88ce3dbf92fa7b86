//! The kernels that a command runs: the selected one, or every kernel of the file if neither an option nor a launch selects one.

use anyhow::{Result, bail};
use warplens_ide::lanes::{Choice, LaunchSource, RunRequest};
use warplens_tools::source::{Launches, RunError, Source};

use super::arguments::{Arguments, Format};

/// A request for each kernel to run, in text order.
pub(super) fn requests(
    arguments: &Arguments,
    source: &Source,
    request: RunRequest,
    launches: &Launches,
) -> Result<Vec<RunRequest>> {
    // A page or a picture shows one kernel.
    let is_one = matches!(arguments.format, Format::Html | Format::Svg);
    if is_one || request.entry.is_some() || !matches!(request.launch, Choice::First | Choice::Inferred) {
        return Ok(vec![request]);
    }
    let found = source.analysis.launches(source.file, Some(&launches.files)).map_err(RunError::from)?;
    let is_configured =
        request.launch == Choice::First && found.iter().any(|launch| launch.source.is_configured());
    let inferred: Vec<_> =
        found.into_iter().filter(|launch| launch.source == LaunchSource::Inferred).collect();
    if is_configured || inferred.len() < 2 {
        return Ok(vec![request]);
    }
    if arguments.save_buffers.is_some() {
        bail!("--save-buffers: the file has {} kernels; select one with `--entry`", inferred.len());
    }
    Ok(inferred.into_iter().map(|launch| RunRequest { entry: launch.entry, ..request.clone() }).collect())
}
