//! `sim --list-launches`: a line for each launch of a file.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::json;
use warplens_ide::lanes::{AvailableLaunch, Choice, LaunchSource};
use warplens_sim_launch::size;
use warplens_tools::source::RunError;

use super::arguments::{Arguments, Format};
use crate::cli::files::Input;
use crate::cli::launch::{read_hosts, read_launches, read_source};
use crate::cli::outcome::{Outcome, unusable};
use crate::cli::plain::plain;
use crate::cli::terminal;

pub(super) fn print(arguments: &Arguments, file: &Path) -> io::Result<Outcome> {
    if !matches!(arguments.format, Format::Human | Format::Json) {
        return Ok(unusable(
            "--list-launches prints text or JSON: leave out --format, or write --format json",
        ));
    }
    let launches = match launches(arguments, file) {
        Ok(launches) => launches,
        Err(error) => return Ok(unusable(error)),
    };
    let mut out = terminal::exact();
    for launch in &launches {
        let line = if arguments.format == Format::Json { json(launch) } else { human(launch) };
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(Outcome::Success)
}

fn launches(arguments: &Arguments, file: &Path) -> Result<Vec<AvailableLaunch>> {
    let source = read_source(&Input::named(file), arguments.language)?;
    let mut request = arguments.request(source.language)?;
    request.launch = Choice::First;
    let mut launches = read_launches(&source, file, &arguments.launch, &mut request)?;
    launches.files.hosts = read_hosts(&source, file)?;
    let found = source.analysis.launches(source.file, Some(&launches.files)).map_err(RunError::from)?;
    let entry = request.entry.as_deref();
    let kernels = found.iter().filter(|launch| launch.source == LaunchSource::Inferred);
    let kernels: Vec<&str> = kernels.filter_map(|launch| launch.entry.as_deref()).collect();
    if let Some(entry) = entry
        && !kernels.contains(&entry)
    {
        let kernels = match kernels[..] {
            [] => "no kernel".to_owned(),
            _ => kernels.iter().map(|kernel| format!("`{kernel}`")).collect::<Vec<_>>().join(", "),
        };
        bail!("{}: unknown kernel `{entry}`: the file has {kernels}", file.display());
    }
    Ok(found.into_iter().filter(|launch| entry.is_none() || launch.entry.as_deref() == entry).collect())
}

/// `from k.cu:12: saxpy, grid 4, block 256`
fn human(launch: &AvailableLaunch) -> String {
    let entry = launch.entry.as_deref().unwrap_or("unknown kernel");
    let line = format!("{}: {entry}, grid {}, block {}", launch.name, size(launch.grid), size(launch.block));
    let problem = launch.problem.as_ref().map(|problem| format!(" ({problem})")).unwrap_or_default();
    plain(&format!("{line}{problem}")).into_owned()
}

fn json(launch: &AvailableLaunch) -> String {
    let AvailableLaunch { name, entry, grid, block, source, problem, .. } = launch;
    let problem = problem.as_ref().map(ToString::to_string);
    json!({ "name": name, "entry": entry, "grid": grid, "block": block, "source": source.as_str(), "problem": problem })
        .to_string()
}
