//! `warplens test`: runs the launches that have `expect`, and reports the checks that fail.

mod case;
mod human;
pub(super) mod json;
mod junit;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::files::{Found, Input, Searched, collect};
use super::outcome::{Outcome, print_message, unusable};
use case::{Case, End, Runner};
use warplens_lsp::launch_file;

/// Schedules under which a launch runs besides the default one.
const SCHEDULES: u32 = 8;

#[derive(Args)]
pub(super) struct Arguments {
    /// Sources, launch files, or folders to search for sources
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The divergence model (default: the model of each launch)
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Other schedules under which each launch also runs; fewer if the launch takes many steps, none with 0
    #[arg(long, value_name = "N", default_value_t = SCHEDULES)]
    schedules: u32,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each launch
    Human,
    /// One JSON object per line
    Json,
    /// One JUnit document
    Junit,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut runner = Runner {
        model: arguments.model.as_deref(),
        schedules: arguments.schedules,
        reported: HashSet::new(),
    };
    let mut cases = Vec::new();
    let mut outcome = Outcome::Success;
    let mut out = anstream::stdout().lock();
    for (found, launches) in sources(&arguments.paths) {
        let run = match found {
            Ok(input) => runner.run(&input, launches.as_deref()).map_err(|error| (input.path, error)),
            Err((path, error)) => Err((path, error.to_string())),
        };
        match run {
            Ok(new) => {
                new.iter().try_for_each(|case| match arguments.format {
                    Format::Human => human::line(case, &mut out),
                    Format::Json => json::line(case, &mut out),
                    Format::Junit => Ok(()),
                })?;
                out.flush()?;
                cases.extend(new);
            }
            Err((path, error)) => {
                outcome = unusable(format!("{}: {error}", path.display()));
            }
        }
    }
    match arguments.format {
        Format::Human => human::summary(&cases, &mut out)?,
        Format::Json => {}
        Format::Junit => junit::write(&cases, &mut out)?,
    }
    out.flush()?;
    if cases.is_empty() && outcome == Outcome::Success {
        print_message("no launches with `expect`, so nothing was tested");
        outcome = Outcome::Incomplete;
    }
    let outcomes = cases.iter().map(|case: &Case| match case.end {
        End::Passed { .. } => Outcome::Success,
        End::Incomplete(_) => Outcome::Incomplete,
        End::Failed(_) | End::Invalid(_) => Outcome::Errors,
    });
    Ok(outcomes.fold(outcome, Outcome::max))
}

/// The sources that the paths select. If a path is a launch file, its sources come with it.
fn sources(paths: &[PathBuf]) -> Vec<(Found, Option<PathBuf>)> {
    let mut sources = Vec::new();
    for path in paths {
        let extension = path.extension().and_then(OsStr::to_str);
        if matches!(extension, Some("toml" | "json")) && path.is_file() {
            let of_file = launched(path).into_iter().map(|input| (Ok(input), Some(path.clone())));
            sources.extend(of_file);
        } else {
            sources.extend(
                collect(std::slice::from_ref(path), Searched::Assembly)
                    .into_iter()
                    .map(|found| (found, None)),
            );
        }
    }
    sources
}

/// The sources of a launch file: those that it names, and those in its folder that match a pattern.
fn launched(path: &Path) -> Vec<Input> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = launch_file::files(path);
    let mut inputs: Vec<Input> = Vec::new();
    for file in files {
        let named = folder.join(&file);
        let found: Vec<Input> = match named.is_file() {
            true => vec![Input::found(named)],
            false => collect(&[folder.to_path_buf()], Searched::Assembly)
                .into_iter()
                .flatten()
                .filter(|input| launch_file::names(path, &file, &input.path))
                .collect(),
        };
        for input in found {
            if inputs.iter().all(|other| other.path != input.path) {
                inputs.push(input);
            }
        }
    }
    if inputs.is_empty() {
        // The launch file itself, so that its problems are reported.
        inputs.push(Input::named(path));
    }
    inputs
}
