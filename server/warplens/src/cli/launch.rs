//! The launch that a command runs: arguments, source and launch file.

mod arguments;

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use warplens_ide::Language;
use warplens_ide::lanes::{Choice, HostFile, RunRequest};
use warplens_sim_launch::{Format, launch_text};
use warplens_tools::source::{Launches, RunError, Source};

pub(crate) use arguments::LaunchArguments;

use super::files::Input;
use super::input::{STANDARD_INPUT, read_named};
use super::outcome::print_message;
use warplens_lsp::language;
use warplens_lsp::launch_file;

/// Reads and analyzes a source. Its language is that of the file extension unless one is given.
pub(super) fn read_source(input: &Input, language: Option<Language>) -> Result<Source> {
    let path = input.path.display().to_string();
    let text = input.read().map_err(|error| anyhow!("{path}: {error}"))?.text;
    let language = language.map_or_else(|| language::of_file(&input.path, &text), Ok);
    let language = language.map_err(|error| anyhow!("{path}: {error}"))?;
    Ok(Source::of_text(path, text, language)?)
}

/// Prints a note about the errors of a source: it runs only up to the first error on its path.
pub(crate) fn note_errors(source: &Source) {
    let path = &source.path;
    match source.errors() {
        0 => {}
        1 => print_message(format!("note: {path} has an error; run `warplens check` to show it")),
        errors => {
            print_message(format!("note: {path} has {errors} errors; run `warplens check` to show them"))
        }
    }
}

/// Reads the launch file of the arguments, or the nearest one to `file`. A single launch on standard input becomes the launch of the
/// request.
pub(crate) fn read_launches(
    source: &Source,
    file: &Path,
    arguments: &LaunchArguments,
    request: &mut RunRequest,
) -> Result<Launches> {
    let mut launches = read_launch_file(file, arguments, request)?;
    // Others need no host code, which may take long to find.
    if matches!(request.launch, Choice::Named(_)) {
        launches.files.hosts = read_hosts(source, file)?;
    }
    Ok(launches)
}

/// Reads the host files of a source.
pub(crate) fn read_hosts(source: &Source, file: &Path) -> Result<Vec<HostFile>> {
    if file.as_os_str() == STANDARD_INPUT {
        return Ok(Vec::new());
    }
    let named = source.analysis.sources(source.file).map_err(RunError::from)?;
    Ok(launch_file::hosts(file, &named))
}

fn read_launch_file(file: &Path, arguments: &LaunchArguments, request: &mut RunRequest) -> Result<Launches> {
    let Some(path) = arguments.path(file) else { return Ok(launch_file::launches(None, file)) };
    if path.as_os_str() != STANDARD_INPUT {
        return Ok(launch_file::launches(Some(launch_file::read(&path, file)?), &path));
    }
    if file.as_os_str() == STANDARD_INPUT {
        bail!("standard input can be the file or the launches, not both");
    }
    let text = read_named(&path).map_err(|error| anyhow!("{STANDARD_INPUT}: {error}"))?.text;
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    let name = STANDARD_INPUT.to_owned();
    let found = launch_file::of_text(text, format, name, Path::new("."), file);
    // Files are relative to the current folder.
    let base = Path::new("launches");
    if warplens_sim_launch::launches(&found.text, format).is_ok() {
        return Ok(launch_file::launches(Some(found), base));
    }
    let launch = launch_text(&found.text, format);
    let launch = launch.map_err(|problem| found.problem(&problem));
    let launch = launch.map_err(RunError::Launch)?;
    if !matches!(&request.launch, Choice::First) && request.launch != Choice::of_name(&launch.name) {
        bail!(
            "standard input has the keys of one launch, `{}`: omit the options that select another (`--launch`, `--grid`, `--block`, \
             `--cluster`, `--arg`)",
            launch.name
        );
    }
    request.launch = Choice::Given(Box::new(launch));
    Ok(launch_file::launches(None, base))
}
