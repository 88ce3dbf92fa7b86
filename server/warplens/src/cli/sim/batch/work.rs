//! The work of a thread: runs launches, one after another, until there are no more.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Error, Result, anyhow};
use warplens_ide::lanes::{Choice, Unexpected};
use warplens_sim_launch::{BatchId, Launch, batch_line};
use warplens_sim_warp::Control;
use warplens_tools::source::RunError;

use super::earlier_results::EarlierResults;
use super::lines::{Line, Lines};
use super::result::{Ended, ended, internal_error, invalid};
use super::sources::Sources;
use super::summary::Summary;
use crate::cli::input::STANDARD_INPUT;
use crate::cli::schedules::ExploredRun;
use crate::cli::sim::arguments::Arguments;
use crate::cli::sim::selection::{buffers_to_dump, check_warp};
use crate::cli::sim::simulated::Simulated;
use warplens_lsp::launch_file;
use warplens_system::panic::panic_message;

/// A batch that several threads run.
pub(super) struct Batch<'a> {
    arguments: &'a Arguments,
    /// The path of the batch. Files are relative to its folder.
    base: PathBuf,
    earlier: EarlierResults,
    input: Mutex<Input>,
    output: Mutex<Output>,
}

struct Input {
    lines: Lines,
    /// Why no more lines are read.
    error: Option<io::Error>,
}

struct Output {
    summary: Summary,
    /// Why no more results are written.
    error: Option<io::Error>,
}

pub(super) struct EndedBatch {
    pub(super) summary: Summary,
    pub(super) read_error: Option<io::Error>,
    pub(super) write_error: Option<io::Error>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        arguments: &'a Arguments,
        path: &Path,
        lines: Lines,
        earlier: EarlierResults,
        summary: Summary,
    ) -> Batch<'a> {
        let is_input = path.as_os_str() == STANDARD_INPUT;
        Batch {
            arguments,
            base: if is_input { PathBuf::from("launches") } else { path.to_path_buf() },
            earlier,
            input: Mutex::new(Input { lines, error: None }),
            output: Mutex::new(Output { summary, error: None }),
        }
    }

    /// Runs launches until there are no more.
    pub(super) fn work(&self) {
        let mut sources = Sources::default();
        while let Some(line) = self.next() {
            let index = line.index;
            let (id, launch) = read(line);
            if self.earlier.has(index, id.as_ref()) {
                continue;
            }
            let run = || launch.and_then(|launch| self.launch(launch, &mut sources, index, id.as_ref()));
            let ended = match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok(ended)) => ended,
                Ok(Err(refused)) => invalid(&refused.to_string(), index, id.as_ref()),
                Err(panic) => {
                    // The analysis of a source may be incomplete.
                    sources = Sources::default();
                    internal_error(&panic_message(&*panic), index, id.as_ref())
                }
            };
            if self.write(&ended).is_break() {
                return;
            }
        }
    }

    pub(super) fn end(self) -> EndedBatch {
        let Input { lines: _, error: read_error } =
            self.input.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Output { summary, error: write_error } =
            self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        EndedBatch { summary, read_error, write_error }
    }

    fn next(&self) -> Option<Line> {
        let mut input = lock(&self.input);
        if input.error.is_some() {
            return None;
        }
        match input.lines.next() {
            Ok(line) => line,
            Err(error) => {
                input.error = Some(error);
                None
            }
        }
    }

    fn launch(
        &self,
        launch: Launch,
        sources: &mut Sources,
        index: u64,
        id: Option<&BatchId>,
    ) -> Result<Ended> {
        let arguments = self.arguments;
        let named = launch.file.as_ref().map(|file| launch_file::beside(&self.base, file));
        let file = named.as_ref().or(arguments.file.as_ref());
        let file = file.context(
            "the launch has no `file`: name its source here, or for all launches on the command line",
        )?;
        let (source, text) = sources.source(file, arguments.language).map_err(Error::msg)?;
        let mut request = arguments.request(source.language)?;
        request.launch = Choice::Given(Box::new(launch));
        let prepared = source.prepare(&request, &launch_file::launches(None, &self.base))?;
        arguments.schedules.check(&prepared)?;
        let dump = buffers_to_dump(&arguments.dump, &prepared)?;
        let explored = prepared.run_adjusted(Control::none()).and_then(|(prepared, result)| {
            let failures = Unexpected::of(&prepared.resolved, &result);
            arguments.schedules.explore(prepared, result, failures, Control::none())
        });
        let ExploredRun { prepared, result, failures, coverage } = explored.map_err(RunError::from)?;
        check_warp(arguments.known_warp(), &prepared)?;
        let verdict = prepared.verdict(&result, &failures, &coverage);
        let simulated = Simulated {
            saved: None,
            path: source.path.clone(),
            text: text.clone(),
            prepared,
            warp: arguments.warp.and_then(|choice| choice.among(&result)),
            result: result.into(),
            dump,
            failures,
            verdict,
            coverage,
            hidden: Vec::new(),
            steps: None,
        };
        Ok(ended(&simulated, arguments, index, id))
    }

    fn write(&self, ended: &Ended) -> ControlFlow<()> {
        let mut output = lock(&self.output);
        if output.error.is_some() {
            return ControlFlow::Break(());
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(&ended.line).and_then(|()| out.flush()) {
            output.error = Some(error);
            return ControlFlow::Break(());
        }
        output.summary.add(ended.counted);
        ControlFlow::Continue(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic does not poison the data: none is caught while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(line: Line) -> (Option<BatchId>, Result<Launch>) {
    let text = match line.text {
        Ok(text) => text,
        Err(long) => return (None, Err(long.into())),
    };
    let line = batch_line(&text);
    let launch = line.launch.map_err(|problem| match problem.line_column(&text) {
        Some((_, column)) => anyhow!("column {column}: {}", problem.message),
        None => Error::msg(problem.message),
    });
    (line.id, launch)
}
