//! Starts ptxas, and handles its output.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use text_size::{TextRange, TextSize};
use thiserror::Error;
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::{MessageType, Uri};
use warplens_tools::ptxas::{self, Invocation, Printed, PtxasError};

use super::assembles;
use super::findings::move_messages;
use super::runs::PtxasRun;
use crate::lsp::errors::refused;
use crate::lsp::event::{Event, PtxasFinished};
use crate::lsp::state::State;
use crate::lsp::to_proto::to_value;

/// Why ptxas is not started.
#[derive(Debug, Error)]
enum NotStarted {
    #[error("the setting `warplens.ptxas.path` is empty")]
    NoPath,
    #[error("ptxas assembles only PTX")]
    Language,
    #[error("cannot run ptxas: {0}")]
    Thread(#[from] std::io::Error),
}

impl State {
    /// Checks a document in the background.
    pub(crate) fn check_with_ptxas(&mut self, uri: &Uri) {
        if let Err(error) = self.assemble(uri, None) {
            tracing::debug!("{}: {error}", uri.as_str());
        }
    }

    /// [`super::RESOURCES`].
    pub(crate) fn ptxas_resources(&mut self, id: Id, uri: &Uri) {
        if let Err(error) = self.assemble(uri, Some(id.clone())) {
            self.answer(&id, Err(refused(error.to_string())));
        }
    }

    /// Starts a run, a complete one for a request. Stops the previous run of the same kind.
    fn assemble(&mut self, uri: &Uri, request: Option<Id>) -> Result<(), NotStarted> {
        let program = PathBuf::from(&self.settings.ptxas.path);
        if program.as_os_str().is_empty() {
            return Err(NotStarted::NoPath);
        }
        let document = self.documents.get(uri).filter(|document| document.language().is_some_and(assembles));
        let text = document.and_then(|document| document.text()).cloned().ok_or(NotStarted::Language)?;
        self.ptxas.last_number += 1;
        let (number, stop) = (self.ptxas.last_number, Arc::new(AtomicBool::new(false)));
        let is_complete = request.is_some();
        let invocation = Invocation { program, text: text.clone(), is_complete, stop: Arc::clone(&stop) };
        let (events, uri_of_run) = (self.events.clone(), uri.clone());
        let thread = std::thread::Builder::new().name("ptxas".into()).spawn(move || {
            let finished = PtxasFinished { uri: uri_of_run, number, result: invocation.run() };
            let _ = events.send(Event::PtxasFinished(finished));
        })?;
        self.ptxas.add(thread);
        let run = PtxasRun { number, stop, edits: vec![], text, request };
        let runs = self.ptxas.documents.entry(uri.clone()).or_default();
        let previous = if is_complete { runs.resources.replace(run) } else { runs.check.replace(run) };
        if let Some(id) = previous.and_then(|mut run| run.request.take()) {
            self.answer(&id, Err(refused("ptxas was restarted")));
        }
        Ok(())
    }

    /// A run has ended.
    pub(crate) fn ptxas_finished(&mut self, PtxasFinished { uri, number, result }: PtxasFinished) {
        let Some(runs) = self.ptxas.documents.get_mut(&uri) else { return };
        let is_it = |run: &mut PtxasRun| run.number == number;
        if let Some(run) = runs.check.take_if(is_it) {
            self.show_messages(&uri, &run, result);
        } else if let Some(run) = runs.resources.take_if(is_it) {
            self.answer_resources(&uri, run, result);
        }
    }

    fn show_messages(&mut self, uri: &Uri, run: &PtxasRun, result: Result<Option<Printed>, PtxasError>) {
        let printed = match result {
            Ok(Some(printed)) => printed,
            Ok(None) => return,
            Err(error) => return self.warn_once(error.to_string()),
        };
        let messages = ptxas::messages(&printed.output, &printed.file);
        let has_lines = messages.iter().any(|message| message.line.is_some());
        if let Some(message) = messages.iter().find(|_| !has_lines && !printed.accepted) {
            // Without a line it is about the invocation, such as a target that this ptxas does not support.
            return self.warn_once(format!("ptxas: {}", message.text));
        }
        let mut found: Vec<_> = messages
            .into_iter()
            .filter_map(|message| Some((line_range(&run.text, message.line?), message)))
            .collect();
        move_messages(&mut found, &run.edits);
        self.shown.update(uri, |shown| shown.ptxas.messages = Arc::new(found));
        self.refresh_diagnostics(uri);
    }

    fn answer_resources(
        &mut self,
        uri: &Uri,
        mut run: PtxasRun,
        result: Result<Option<Printed>, PtxasError>,
    ) {
        let Some(id) = run.request.take() else { return };
        let printed = match result {
            Ok(Some(printed)) if printed.accepted => printed,
            Ok(Some(printed)) => {
                let first = ptxas::messages(&printed.output, &printed.file).into_iter().next();
                let reason =
                    first.map_or("ptxas rejects the file".into(), |first| format!("ptxas: {}", first.text));
                return self.answer(&id, Err(refused(reason)));
            }
            Ok(None) => return self.answer(&id, Err(refused("the run was stopped"))),
            Err(error) => return self.answer(&id, Err(refused(error.to_string()))),
        };
        let resources = ptxas::resources(&printed.output);
        let answer = to_value(&resources).unwrap_or_default();
        if self.documents.get(uri).and_then(|document| document.text()) == Some(&run.text) {
            self.shown.update(uri, |shown| shown.ptxas.resources = Arc::new(resources));
        }
        self.answer(&id, Ok(answer));
        self.refresh_lanes();
    }

    fn warn_once(&mut self, message: String) {
        if self.warned_names.insert(message.clone()) {
            self.client.show(MessageType::WARNING, message);
        }
    }
}

/// The range of a line without surrounding white space.
fn line_range(text: &ropey::Rope, line: usize) -> TextRange {
    let line = line.min(text.len_lines().saturating_sub(1));
    let whole = text.line(line).to_string();
    let code = whole.trim();
    let start = text.line_to_byte(line) + whole.find(code).unwrap_or(0);
    TextRange::at(TextSize::try_from(start).unwrap_or_default(), TextSize::of(code))
}
