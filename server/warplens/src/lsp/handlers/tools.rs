//! The requests that run external tools, or a whole comparison. They wait for the settings, which name the tools: a client that
//! opens machine code first has not sent them yet.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ropey::Rope;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::Uri;
use warplens_ide::Language;

use crate::language;
use crate::lsp::document::MAX_TEXT;
use crate::lsp::errors::refused;
use crate::lsp::settings::Settings;
use crate::lsp::state::State;
use crate::lsp::tool_method::ToolMethod;
use crate::read_file;
use warplens_tools::source::Source;
use warplens_tools::toolchain::Toolchain;

/// The limit of the duration of a run of an assembler or disassembler.
const TIMEOUT: Duration = Duration::from_secs(60);

impl State {
    /// Starts a request, when the settings are there.
    pub(crate) fn tool_request(&mut self, id: Id, method: ToolMethod, params: Value) {
        if let Some(waiting) = &mut self.waiting_for_settings {
            return waiting.push((id, method, params));
        }
        let started = match method {
            ToolMethod::Listing => self.listing(&id, params),
            ToolMethod::Assemble => self.assembled(&id, params),
            ToolMethod::Targets => self.targets(&id, params),
            ToolMethod::Compare => self.compare(&id, params),
        };
        if let Err(error) = started {
            self.answer(&id, Err(error));
        }
    }

    /// The text of a document, which a task reads.
    pub(crate) fn text_of(&self, uri: &Uri) -> Result<DocumentText> {
        let path = uri.to_file_path().map(std::borrow::Cow::into_owned);
        let name = || uri.path().decode().to_string_lossy().into_owned();
        let path = path.unwrap_or_else(|| PathBuf::from(name()));
        let Some(document) = self.documents.get(uri) else {
            let is_file = uri.scheme().as_str() == "file";
            return match is_file {
                true => Ok(DocumentText { path, open: None }),
                false => Err(Error::invalid_params(format!("{} is not open", uri.as_str()))),
            };
        };
        match (document.language(), document.text()) {
            (Some(language), Some(text)) => Ok(DocumentText { path, open: Some((text.clone(), language)) }),
            _ => Err(refused(
                document.reason_not_analysed().unwrap_or("the document is not analysed").to_owned(),
            )),
        }
    }
}

/// The text of a document: that of the client if it is open, else that of the file.
pub(crate) struct DocumentText {
    pub(crate) path: PathBuf,
    open: Option<(Rope, Language)>,
}

impl DocumentText {
    /// Reads and analyzes it.
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

/// The assembler and disassembler of the settings, which `stop` stops.
pub(crate) fn toolchain(settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Toolchain> {
    let found =
        Toolchain::of_settings(&settings.ptxas.path, &settings.sass.nvdisasm, TIMEOUT, Arc::clone(stop));
    found.map_err(|error| refused(error.to_string()))
}
