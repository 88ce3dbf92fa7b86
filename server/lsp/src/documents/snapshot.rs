//! What a request handler reads: a document at one version, its analysis and the settings. And why a handler may fail.

use std::path::PathBuf;
use std::sync::Arc;

use ls_types::{Position, Range, Uri};
use ropey::Rope;
use text_size::{TextRange, TextSize};
use warplens_host::Host;
use warplens_ide::lanes::fixes::Budget;
use warplens_ide::lanes::launch_text::LaunchHome;
use warplens_ide::{Analysis, Cancelled, Diagnostic, FileId, Fix, Language, Origin};

use crate::client_capabilities::ClientCapabilities;
use crate::documents::lanes::{Lanes, Ran};
use crate::documents::launch_text::LaunchText;
use crate::documents::shown::ShownDocuments;
use crate::settings::Settings;
use warplens_protocol::position::{self, Encoding};

/// A document at one version. It is made on the state thread when a worker is free. It must be dropped before the answer is sent:
/// the next edit waits until it is.
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    pub(crate) file: FileId,
    /// That of the assembly: PTX, if the document has another language.
    pub(crate) language: Language,
    /// The language of a document whose inline PTX is analyzed.
    pub(crate) host: Option<&'static Host>,
    pub(crate) version: i32,
    pub(crate) text: Rope,
    pub(crate) encoding: Encoding,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) settings: Arc<Settings>,
    /// The folders of the workspace.
    pub(crate) folders: Arc<Vec<PathBuf>>,
    /// What the documents show. Its positions match `text` for as long as the analysis snapshot exists.
    pub(crate) shown: Arc<ShownDocuments>,
    pub(crate) analysis: Analysis,
}

/// Why a handler has no response.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An edit or the requester cancelled it.
    Cancelled,
    /// The request cannot be answered; the message is for the user.
    Refused(String),
    /// The handler panicked with this message.
    Panicked(String),
}

impl Failure {
    pub(crate) fn refused(reason: impl ToString) -> Failure {
        Failure::Refused(reason.to_string())
    }
}

/// The result, or `None` if it was refused.
pub(crate) fn unless_refused<T>(result: Result<T, Failure>) -> NullableAnswer<T> {
    match result {
        Err(Failure::Refused(_)) => Ok(None),
        result => result.map(Some),
    }
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Failure {
        Failure::Cancelled
    }
}

/// Comments are searched for launches at each edit only in texts up to this size.
const MAX_SEARCHED: usize = 1 << 20;

/// The answer to a request of the protocol, which may be `null`.
pub(crate) type NullableAnswer<T> = Result<Option<T>, Failure>;

impl Snapshot {
    /// The byte offset of a position. A line after the last one is the end of the text.
    pub(crate) fn offset(&self, position: Position) -> TextSize {
        let end = TextSize::try_from(self.text.len_bytes()).unwrap_or_default();
        position::offset(&self.text, position, self.encoding).unwrap_or(end)
    }

    /// The byte range of a range; empty if the end is before the start.
    pub(crate) fn text_range(&self, range: Range) -> TextRange {
        let start = self.offset(range.start);
        TextRange::new(start, self.offset(range.end).max(start))
    }

    /// The range in the terms of the protocol.
    pub(crate) fn range(&self, range: TextRange) -> Range {
        position::range(&self.text, range, self.encoding)
    }

    pub(crate) fn line(&self, offset: TextSize) -> u32 {
        self.range(TextRange::empty(offset)).start.line
    }

    /// The byte range of the line at an offset, including the line end.
    pub(crate) fn line_range(&self, offset: TextSize) -> TextRange {
        position::line_range(&self.text, offset)
    }

    /// The line of a position, which may be a launch in a comment.
    pub(crate) fn launch_on_line(&self, position: Position) -> LaunchText<'_> {
        LaunchText::line(&self.text, self.encoding, self.launch_home(), position)
    }

    /// The launches in comments; `None` if the text is too long to be searched at each edit.
    pub(crate) fn launch_comments(&self) -> Option<LaunchText<'_>> {
        let is_short = self.text.len_bytes() <= MAX_SEARCHED;
        is_short.then(|| LaunchText::whole(&self.text, self.encoding, self.launch_home()))
    }

    fn launch_home(&self) -> LaunchHome<'static> {
        // The comments of another language have launches of kernels in none of ours.
        LaunchHome::Comments(if self.host.is_some() { &[] } else { self.language.line_comments })
    }

    /// The lanes that the document shows.
    pub(crate) fn lanes(&self) -> Option<Lanes> {
        self.shown.get(&self.uri).lanes
    }

    /// The findings of the run that the document shows.
    pub(crate) fn findings(&self) -> Result<Vec<Diagnostic>, Cancelled> {
        match self.lanes() {
            Some(lanes) if lanes.shown.has_findings() => self.analysis.findings(self.file, &lanes.shown),
            _ => Ok(vec![]),
        }
    }

    /// The fix of a finding of that run, if a run of the edited text confirms one. There is none if the run was dropped.
    pub(crate) fn checked_fix(
        &self,
        found: &Diagnostic,
        budget: &mut Budget,
    ) -> Result<Option<Fix>, Cancelled> {
        let Some(lanes) = self.lanes().filter(|_| found.origin == Origin::Run) else { return Ok(None) };
        let Some(Ran { prepared, outcome, .. }) = lanes.ran() else { return Ok(None) };
        let ran = outcome.prepared(prepared);
        self.analysis.checked_fix(self.file, (&lanes.shown, &ran), found, budget)
    }
}
