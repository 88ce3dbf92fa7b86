//! Requests that run external tools or a whole comparison. They wait for the settings, which name the tools: a client that opens machine
//! code first has not sent its settings yet.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ls_types::{NumberOrString, Uri};
use ropey::Rope;
use serde_json::Value;
use warplens_ide::Language;
use warplens_protocol::jsonrpc::{Error, Id, Result};
use warplens_tools::source::Source;
use warplens_tools::toolchain::Toolchain;

use crate::documents::document::MAX_TEXT;
use crate::documents::open::Documents;
use crate::errors::{internal, not_open, refused};
use crate::language;
use crate::scheduling::tasks::TaskControl;
use crate::settings::Settings;
use crate::state::{State, ToolRequest};
use warplens_system::disk::read_file;

/// The time limit of a run of an assembler or disassembler.
const TIMEOUT: Duration = Duration::from_secs(60);

impl State {
    /// Starts a request, as soon as the settings are known.
    pub(crate) fn tool_request(&mut self, request: ToolRequest) {
        if let Some(waiting) = &mut self.waiting_for_settings {
            return waiting.push(request);
        }
        let ToolRequest { id, handler, params } = request;
        if let Err(error) = handler(self, &id, params) {
            self.requests.answer(&id, Err(error));
        }
    }

    /// Starts the work of a request. The result of the work is the answer. `progress` is the title and the token of its progress.
    pub(crate) fn start_task(
        &mut self,
        id: Id,
        progress: Option<(String, NumberOrString)>,
        work: impl FnOnce(&mut TaskControl) -> Result<Value> + Send + 'static,
    ) {
        let token = progress.as_ref().map(|(_, token)| token.clone());
        if let Err(error) = self.tasks.start(id.clone(), token, work) {
            return self.requests.answer(&id, Err(internal(&error.to_string())));
        }
        if let Some((title, token)) = progress {
            self.client.begin_progress(token, title, None);
        }
    }

    pub(crate) fn task_progress(&self, id: &Id, message: String, percentage: Option<u32>) {
        if let Some(token) = self.tasks.token(id) {
            self.client.report_progress(token, message, percentage);
        }
    }

    pub(crate) fn task_ended(&mut self, id: &Id, answer: Result<Value>) {
        if let Some(token) = self.tasks.ended(id) {
            self.client.end_progress(token);
        }
        self.requests.answer(id, answer);
    }

    /// `window/workDoneProgress/cancel` with the token of a task; false for another token.
    pub(crate) fn cancel_task_of(&mut self, token: &Value) -> bool {
        let Some(id) = self.tasks.with_token(token) else { return false };
        self.tasks.stop(&id);
        self.requests.answer(&id, Err(Error::request_cancelled()));
        true
    }
}

/// A document, whose text comes from the editor if it is open there, and from the file otherwise.
pub(crate) struct DocumentText {
    pub(crate) path: PathBuf,
    open: Option<(Rope, Language)>,
}

impl DocumentText {
    /// The document with this URI. It must be open, or a file.
    pub(crate) fn find(documents: &Documents, uri: &Uri) -> Result<DocumentText> {
        let path = uri.to_file_path().map(std::borrow::Cow::into_owned);
        let name = || uri.path().decode().to_string_lossy().into_owned();
        let path = path.unwrap_or_else(|| PathBuf::from(name()));
        let Some(document) = documents.get(uri) else {
            let is_file = uri.scheme().as_str() == "file";
            return if is_file { Ok(DocumentText { path, open: None }) } else { Err(not_open(uri)) };
        };
        match (document.language(), document.text()) {
            (Some(language), Some(text)) => Ok(DocumentText { path, open: Some((text.clone(), language)) }),
            _ => Err(documents.without_text(uri)),
        }
    }

    pub(crate) fn read(self) -> Result<Source> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fails = |reason: String| refused(format!("{name}: {reason}"));
        let (text, language) = match self.open {
            Some((text, language)) => (text.to_string(), language),
            None => {
                let bytes = read_file::read(&self.path, MAX_TEXT as u64)
                    .map_err(|error| fails(format!("cannot be read: {error}")))?;
                let text = String::from_utf8(bytes).map_err(|_| fails("is not UTF-8".to_owned()))?;
                let language =
                    language::of_file(&self.path, &text).map_err(|error| fails(error.to_string()))?;
                (text, language)
            }
        };
        Source::of_text(name.clone(), text, language).map_err(|error| refused(error.to_string()))
    }
}

/// The assembler and disassembler that the settings name. Setting `stop` stops them.
pub(crate) fn toolchain(settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Toolchain> {
    let found =
        Toolchain::of_settings(&settings.ptxas.path, &settings.sass.nvdisasm, TIMEOUT, Arc::clone(stop));
    found.map_err(|error| refused(error.to_string()))
}
