//! `warplens sim`: a launch, run, and what its lanes did.

mod arguments;
mod listing;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use ropey::Rope;
use text_size::TextSize;
use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::report::{Options, Position, Report};
use warplens_ide::{AnalysisHost, FileId, Severity};
use warplens_sim::launch::PlacedBuffer;
use warplens_sim::{Control, RunResult, StatementId, Status, WarpId};

pub(super) use arguments::Arguments;
use arguments::Format;
use listing::Listing;

use super::check::{STANDARD_INPUT, language_of, read};
use super::{LanguageName, Outcome, complain};
use crate::cores::Cores;
use crate::launch_file;
use crate::position::{self, Encoding};

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    match simulate(arguments) {
        Ok(simulated) => {
            let mut out = anstream::stdout().lock();
            simulated.write(arguments, &mut out)?;
            out.flush()?;
            Ok(simulated.outcome())
        }
        Err(problem) => {
            complain(&problem);
            Ok(Outcome::Unusable)
        }
    }
}

/// A run with all that it was made from.
struct Simulated {
    path: String,
    text: Rope,
    prepared: Prepared,
    result: Arc<RunResult>,
    dump: Vec<PlacedBuffer>,
    /// Expectations that were not met.
    failures: Vec<String>,
}

/// Reads, prepares and runs; an error is one sentence with the path and, where there is one, the position.
fn simulate(arguments: &Arguments) -> Result<Simulated, String> {
    let path = arguments.file.display().to_string();
    let of_file = |why: String| format!("{path}: {why}");
    let text = read(&arguments.file).map_err(of_file)?;
    let language = match arguments.language {
        Some(name) => LanguageName::language(name).map_err(str::to_owned)?,
        None => language_of(&arguments.file, &text).map_err(of_file)?,
    };
    let request = arguments.request(language)?;
    let launch_path = launch_path(arguments);
    let launches = launch_path.as_deref().map(|path| launch_file::read(path, &arguments.file)).transpose();
    let launches = launches.map_err(|error| error.to_string())?;
    let base = launch_path.as_deref().unwrap_or(&arguments.file);
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.open(file, language, &text);
    let analysis = host.snapshot();
    let prepared = analysis.prepare_run(file, &request, launches.as_ref(), &launch_file::contents(base));
    let prepared = prepared.map_err(|cancelled| of_file(cancelled.to_string()))?;
    let prepared = prepared.map_err(|problem| problem.in_path(&path).to_string())?;
    let dump = buffers_to_dump(arguments, &prepared)?;
    check_warp(arguments.warp, &prepared)?;
    note_errors(&analysis, file, &path);
    let cores = Cores::all();
    let control = Control { workers: Some(&cores), ..Control::none() };
    let result = prepared.run(control).map_err(|_| of_file("the run was stopped".to_owned()))?;
    let failures = prepared.resolved().failures(&result).into_iter().map(|failure| failure.message).collect();
    Ok(Simulated { path, text: Rope::from_str(&text), prepared, result: Arc::new(result), dump, failures })
}

/// The launch file that was named, or the nearest one.
fn launch_path(arguments: &Arguments) -> Option<PathBuf> {
    let is_file = arguments.file.as_os_str() != STANDARD_INPUT;
    arguments.launches.clone().or_else(|| is_file.then(|| launch_file::nearest(&arguments.file)).flatten())
}

fn buffers_to_dump(arguments: &Arguments, prepared: &Prepared) -> Result<Vec<PlacedBuffer>, String> {
    let resolved = prepared.resolved();
    if arguments.dump.iter().any(|name| name == "all") {
        return Ok(resolved.buffers.clone());
    }
    let buffer = |name: &String| {
        let known = || {
            resolved.buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect::<Vec<_>>().join(", ")
        };
        resolved.buffer(name).cloned().ok_or_else(|| match resolved.buffers.is_empty() {
            true => format!("--dump: there is no buffer `{name}`: the launch has none"),
            false => format!("--dump: there is no buffer `{name}`: there are {}, and `all`", known()),
        })
    };
    arguments.dump.iter().map(buffer).collect()
}

/// A warp that the launch does not have would give an empty answer without a word.
fn check_warp(warp: Option<WarpId>, prepared: &Prepared) -> Result<(), String> {
    let Some(WarpId { cta, warp }) = warp else { return Ok(()) };
    let (grid, warps) = (prepared.grid(), prepared.warps());
    if cta.iter().zip(grid).all(|(at, size)| *at < size) && u64::from(warp) < warps {
        return Ok(());
    }
    let [x, y, z] = grid.map(|size| size - 1);
    Err(format!("--warp: there is no such warp: blocks are 0,0,0 to {x},{y},{z}, warps 0 to {}", warps - 1))
}

/// A file with errors is run as far as it goes; that it has them should be known.
fn note_errors(analysis: &warplens_ide::Analysis, file: FileId, path: &str) {
    let found = analysis.diagnostics(file).unwrap_or_default();
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    match errors {
        0 => {}
        1 => complain(&format!("note: {path} has an error; `warplens check` shows it")),
        _ => complain(&format!("note: {path} has {errors} errors; `warplens check` shows them")),
    }
}

impl Simulated {
    fn outcome(&self) -> Outcome {
        let failed = matches!(self.result.status, Status::Faulted | Status::NoProgress);
        let error = |finding: &warplens_sim::Finding| finding.severity == warplens_sim::Severity::Error;
        match failed || !self.failures.is_empty() || self.result.findings.iter().any(error) {
            true => Outcome::Errors,
            false => Outcome::Fine,
        }
    }

    fn write(&self, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
        match arguments.format {
            Format::Human => Listing { run: self, warp: arguments.warp }.write(out),
            Format::Json => {
                let options = Options {
                    model: self.prepared.model().name(),
                    dump: &self.dump,
                    warp: arguments.warp,
                    failures: &self.failures,
                };
                let at = |statement| self.position(statement);
                let report = Report::new(self.prepared.resolved(), &self.result, &options, &at);
                serde_json::to_writer(&mut *out, &report)?;
                out.write_all(b"\n")
            }
        }
    }

    fn position(&self, statement: StatementId) -> Option<Position> {
        let offset: TextSize = self.prepared.statements().get(statement.index())?.opcode.start();
        let at = position::position(&self.text, offset, Encoding::Utf16);
        Some(Position { line: at.line, character: at.character })
    }
}

#[cfg(test)]
mod tests;
