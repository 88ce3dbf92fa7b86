//! The kernels that a command runs: those of the file, one after the other, if neither an option nor a launch selects one.

use anyhow::Result;
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
    // A page and a picture have one kernel.
    let is_one = matches!(arguments.format, Format::Html | Format::Svg);
    if is_one || request.entry.is_some() || !matches!(request.launch, Choice::First | Choice::Inferred) {
        return Ok(vec![request]);
    }
    let found = source.analysis.launches(source.file, launches.file.as_ref()).map_err(RunError::from)?;
    let is_inferred = |source: LaunchSource| source == LaunchSource::Inferred;
    if request.launch == Choice::First && found.iter().any(|launch| !is_inferred(launch.source)) {
        return Ok(vec![request]);
    }
    let kernels: Vec<_> = found.into_iter().filter(|launch| is_inferred(launch.source)).collect();
    Ok(match kernels.len() {
        0 | 1 => vec![request],
        _ => {
            kernels.into_iter().map(|launch| RunRequest { entry: launch.entry, ..request.clone() }).collect()
        }
    })
}
