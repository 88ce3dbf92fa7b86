//! `warplens sim`: runs a launch and prints the lanes that executed each line.

mod arguments;
pub(crate) mod batch;
mod kernels;
mod launch_list;
mod link;
mod listing;
mod panel_page;
mod picture;
mod progress;
mod registers;
mod sarif;
mod saved_buffers;
mod selection;
mod simulated;
mod steps;
mod strips;
mod warp_choice;
mod watch;

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Error, Result};
use ropey::Rope;
use warplens_ide::lanes::json::Report;
use warplens_ide::lanes::{Prepared, RunRequest};
use warplens_ide::{Symbol, SymbolKind, TextRange, TextSize};
use warplens_sim_warp::Control;
use warplens_tools::source::{Launches, RunError, Source};

pub(super) use arguments::Arguments;
use arguments::Format as OutputFormat;
use listing::Listing;
use progress::ProgressLine;
use selection::{buffers_to_dump, check_warp};
use simulated::Simulated;

use super::files::Input;
use super::launch::{note_errors, read_launches, read_source};
use super::outcome::{Outcome, unusable};
use super::schedules::ExploredRun;
use super::terminal;
use warplens_system::cores::Cores;

/// Columns of a page or a picture, at which messages wrap.
const PICTURE_WIDTH: usize = 120;

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    match (&arguments.batch, &arguments.file) {
        (Some(launches), _) => batch::run(arguments, launches),
        (None, Some(file)) if arguments.watch => watch::run(arguments, file, || run_once(arguments, file)),
        (None, Some(file)) => run_once(arguments, file),
        (None, None) => unreachable!("required by the arguments"),
    }
}

fn run_once(arguments: &Arguments, file: &Path) -> io::Result<Outcome> {
    if arguments.list_launches {
        return launch_list::print(arguments, file);
    }
    if arguments.trace && !matches!(arguments.format, OutputFormat::Human | OutputFormat::Json) {
        return Ok(unusable("--trace prints text or JSON: leave out --format, or write --format json"));
    }
    let mut out = match arguments.format {
        OutputFormat::Human => terminal::colored(),
        _ => terminal::exact(),
    };
    let outcome = run_kernels(arguments, file, &mut out, &mut |error| unusable(error))?;
    out.flush()?;
    Ok(outcome)
}

/// Runs the kernels one after the other and returns the worst outcome; `refuse` is called with the reason for each that cannot run.
fn run_kernels(
    arguments: &Arguments,
    file: &Path,
    out: &mut dyn Write,
    refuse: &mut dyn FnMut(Error) -> Outcome,
) -> io::Result<Outcome> {
    let (source, requests, launches) = match read(arguments, file) {
        Ok(read) => read,
        Err(error) => return Ok(refuse(error)),
    };
    note_errors(&source);
    let (mut worst, mut runs) = (Outcome::Success, Vec::new());
    for (index, request) in requests.iter().enumerate() {
        if index > 0 && arguments.format == OutputFormat::Human {
            out.write_all(b"\n\n")?;
        }
        if arguments.link {
            worst = worst
                .max(link::write(arguments, &source, request, &launches, out)?.unwrap_or_else(&mut *refuse));
            continue;
        }
        let outcome = match simulate(arguments, &source, request, &launches) {
            Ok(simulated) => {
                match arguments.format {
                    OutputFormat::Sarif => runs.push(sarif::run(&simulated)),
                    _ => write(&simulated, arguments, out)?,
                }
                Outcome::of(&simulated.verdict)
            }
            Err(error) => refuse(error),
        };
        worst = worst.max(outcome);
    }
    if arguments.format == OutputFormat::Sarif {
        super::sarif::write(runs, out)?;
    }
    Ok(worst)
}

/// Reads the source and its launches, and selects what to run.
fn read(arguments: &Arguments, file: &Path) -> Result<(Source, Vec<RunRequest>, Launches)> {
    let source = read_source(&Input::named(file), arguments.language)?;
    let mut request = arguments.request(source.language)?;
    let launches = read_launches(&source, file, &arguments.launch, &mut request)?;
    let requests = kernels::requests(arguments, &source, request, &launches)?;
    Ok((source, requests, launches))
}

/// Prepares and runs a launch.
fn simulate(
    arguments: &Arguments,
    source: &Source,
    request: &RunRequest,
    launches: &Launches,
) -> Result<Simulated> {
    let prepared = source.prepare(request, launches)?;
    arguments.schedules.check(&prepared)?;
    let dump = buffers_to_dump(&arguments.dump, &prepared)?;
    if prepared.guess.is_none() {
        check_warp(arguments.known_warp(), &prepared)?;
    }
    if let Some(folder) = &arguments.save_buffers {
        saved_buffers::create_folder(folder)?;
    }
    let cores = Cores::all();
    let line = ProgressLine::new();
    let control =
        Control { workers: Some(&cores), progress: &|progress| line.show(progress), ..Control::none() };
    let ended = prepared.run_adjusted(control).and_then(|(prepared, result)| {
        let failures = prepared.unexpected(&result, Control::none())?;
        let run = arguments.schedules.explore(prepared, result, failures, control)?;
        let warp = arguments.warp.and_then(|choice| choice.among(&run.result));
        let steps = arguments.trace.then(|| steps::record(&run.prepared, warp, arguments, control));
        Ok((steps.transpose()?.flatten(), warp, run))
    });
    let (steps, warp, ExploredRun { prepared, result, failures, coverage }) =
        ended.map_err(RunError::from)?;
    line.end();
    check_warp(arguments.known_warp(), &prepared)?;
    let symbols = source.analysis.symbols(source.file).map_err(RunError::from)?;
    let text = Rope::from_str(&source.text);
    let hidden = hidden(&symbols, &prepared, &text);
    let verdict = prepared.verdict(&result, &failures, &coverage);
    let path = source.path.clone();
    let folder = arguments.save_buffers.as_deref();
    let saved = folder.map(|folder| saved_buffers::write(folder, &prepared.resolved.buffers, &result));
    let saved = saved.transpose()?;
    let result = Arc::new(result);
    Ok(Simulated {
        path,
        text,
        prepared,
        result,
        warp,
        dump,
        saved,
        failures,
        verdict,
        coverage,
        hidden,
        steps,
    })
}

/// The lines of kernels and functions that are not part of the run.
fn hidden(symbols: &[Symbol], prepared: &Prepared, text: &Rope) -> Vec<Range<usize>> {
    let mut starts: Vec<TextSize> = prepared.statements.iter().map(|at| at.range.start()).collect();
    starts.sort_unstable();
    let is_run = |range: TextRange| {
        let next = starts.partition_point(|start| *start < range.start());
        starts.get(next).is_some_and(|start| range.contains(*start))
    };
    let line = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
    let is_code = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function);
    let others = symbols.iter().filter(is_code).filter(|symbol| !is_run(symbol.range));
    others
        .map(|symbol| line(symbol.range.start())..line(symbol.range.end()) + 1)
        // A declaration is one line.
        .filter(|lines| lines.len() > 1)
        .collect()
}

/// Writes the result in the format of the arguments.
fn write(simulated: &Simulated, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    match arguments.format {
        OutputFormat::Human => {
            Listing { run: simulated, width: terminal::width(), strips: terminal::shows_blocks() }.write(out)
        }
        OutputFormat::Html | OutputFormat::Svg => {
            let mut listing = Vec::new();
            Listing { run: simulated, width: Some(PICTURE_WIDTH), strips: true }.write(&mut listing)?;
            let panel = match arguments.format {
                OutputFormat::Html => panel_page::render(simulated, simulated.warp),
                _ => None,
            };
            let listing = String::from_utf8_lossy(&listing);
            out.write_all(picture::render(&listing, arguments.format, panel.as_deref()).as_bytes())
        }
        OutputFormat::Json => {
            let options = simulated.report_options();
            let at = |statement| simulated.position(statement);
            steps::write_json(simulated, &at, out)?;
            let report = Report::new(&simulated.prepared.resolved, &simulated.result, &options, &at);
            serde_json::to_writer(&mut *out, &report)?;
            out.write_all(b"\n")
        }
        OutputFormat::Sarif => unreachable!("all runs are one document"),
    }
}

#[cfg(test)]
mod tests;
