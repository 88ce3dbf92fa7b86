//! Starts ptxas, and handles its output.

use std::path::PathBuf;
use std::sync::Arc;

use ls_types::Uri;
use ropey::Rope;
use text_size::{TextRange, TextSize};
use thiserror::Error;
use warplens_protocol::jsonrpc::Id;
use warplens_tools::ptxas::{self, Printed, PtxasError};

use super::assembles;
use crate::documents::ptxas_findings::move_messages;
use crate::errors::{encoded, refused};
use crate::event::PtxasFinished;
use crate::ptxas_runs::PtxasRun;
use crate::state::State;

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
        if let Err(error) = self.run_ptxas(uri, None) {
            tracing::debug!("{}: {error}", uri.as_str());
        }
    }

    pub(crate) fn ptxas_resources(&mut self, id: Id, uri: &Uri) {
        if let Err(error) = self.run_ptxas(uri, Some(id.clone())) {
            self.requests.answer(&id, Err(refused(error.to_string())));
        }
    }

    fn run_ptxas(&mut self, uri: &Uri, request: Option<Id>) -> Result<(), NotStarted> {
        let program = PathBuf::from(&self.settings.ptxas.path);
        if program.as_os_str().is_empty() {
            return Err(NotStarted::NoPath);
        }
        let document = self.documents.get(uri).filter(|document| document.language().is_some_and(assembles));
        let text = document.and_then(|document| document.text()).cloned().ok_or(NotStarted::Language)?;
        if let Some(replaced) = self.ptxas.start(uri, program, text, request)? {
            self.requests.answer(&replaced, Err(refused("ptxas was restarted")));
        }
        Ok(())
    }

    /// A run has ended.
    pub(crate) fn ptxas_finished(&mut self, PtxasFinished { uri, number, result }: PtxasFinished) {
        let Some(mut run) = self.ptxas.finished(&uri, number) else { return };
        match run.request.take() {
            None => self.show_ptxas_messages(&uri, &run, result),
            Some(id) => self.answer_resources(&uri, &id, &run.text, result),
        }
    }

    fn show_ptxas_messages(
        &mut self,
        uri: &Uri,
        run: &PtxasRun,
        result: Result<Option<Printed>, PtxasError>,
    ) {
        let printed = match result {
            Ok(Some(printed)) => printed,
            Ok(None) => return,
            Err(error) => return self.client.warn_once(error.to_string()),
        };
        let messages = ptxas::messages(&printed.output, &printed.file);
        let has_lines = messages.iter().any(|message| message.line.is_some());
        if let Some(message) = messages.iter().find(|_| !has_lines && !printed.accepted) {
            // A message without a line is about the command line, such as a target that this ptxas does not support.
            return self.client.warn_once(format!("ptxas: {}", message.text));
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
        id: &Id,
        text: &Rope,
        result: Result<Option<Printed>, PtxasError>,
    ) {
        let printed = match result {
            Ok(Some(printed)) if printed.accepted => printed,
            Ok(Some(printed)) => {
                let first = ptxas::messages(&printed.output, &printed.file).into_iter().next();
                let reason =
                    first.map_or("ptxas rejects the file".into(), |first| format!("ptxas: {}", first.text));
                return self.requests.answer(id, Err(refused(reason)));
            }
            Ok(None) => return self.requests.answer(id, Err(refused("the run was stopped"))),
            Err(error) => return self.requests.answer(id, Err(refused(error.to_string()))),
        };
        let resources = ptxas::resources(&printed.output);
        let answer = encoded(&resources);
        if self.documents.get(uri).and_then(|document| document.text()) == Some(text) {
            self.shown.update(uri, |shown| shown.ptxas.resources = Arc::new(resources));
        }
        self.requests.answer(id, answer);
        self.client.refresh_lanes();
    }
}

/// The range of a line without surrounding white space.
fn line_range(text: &Rope, line: usize) -> TextRange {
    let line = line.min(text.len_lines().saturating_sub(1));
    let whole = text.line(line).to_string();
    let code = whole.trim();
    let start = text.line_to_byte(line) + whole.find(code).unwrap_or(0);
    TextRange::at(TextSize::try_from(start).unwrap_or_default(), TextSize::of(code))
}
