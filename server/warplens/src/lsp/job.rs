//! Work that reads: a question, who asked it, and how it ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ropey::Rope;
use serde_json::Value;
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::{Diagnostic, Position, Range, SemanticToken, Uri};
use warplens_ide::lanes::Prepared;
use warplens_ide::{Analysis, Cancelled, FileId, Language};

use super::capabilities::Abilities;
use super::lanes::Lanes;
use super::ptxas::Shown;
use super::settings::Settings;
use crate::position::{self, Encoding};

/// A document at one version, with all that a question about it needs. Made on the state thread when a worker is
/// free, and dropped before its answer is sent: an edit waits for the snapshot in it.
pub(super) struct Question {
    pub(super) uri: Uri,
    pub(super) file: FileId,
    pub(super) language: Language,
    pub(super) version: i32,
    pub(super) text: Rope,
    pub(super) encoding: Encoding,
    pub(super) abilities: Arc<Abilities>,
    pub(super) settings: Arc<Settings>,
    /// What is shown of the last run.
    pub(super) lanes: Option<Lanes>,
    /// What is shown of the assembler.
    pub(super) ptxas: Shown,
    /// The tokens that the client was last given, and the version of the document that they were for.
    pub(super) tokens: Option<(i32, Arc<Vec<SemanticToken>>)>,
    pub(super) analysis: Analysis,
}

impl Question {
    /// The byte offset of a position; lines beyond the text are its end.
    pub(super) fn offset(&self, position: Position) -> TextSize {
        let end = TextSize::try_from(self.text.len_bytes()).unwrap_or_default();
        position::offset(&self.text, position, self.encoding).unwrap_or(end)
    }

    /// The byte range of a range; one that ends before it starts is empty.
    pub(super) fn text_range(&self, range: Range) -> TextRange {
        let start = self.offset(range.start);
        TextRange::new(start, self.offset(range.end).max(start))
    }

    /// The language as clients name it.
    pub(super) fn language_id(&self) -> &'static str {
        self.language.id
    }

    /// The protocol's range.
    pub(super) fn range(&self, range: TextRange) -> Range {
        position::range(&self.text, range, self.encoding)
    }
}

/// Asks; may be asked again of a newer snapshot, so it keeps nothing.
pub(super) type Ask = Box<dyn Fn(&Question) -> Result<Done, Failure> + Send>;

/// What a question brings.
pub(super) enum Done {
    /// The result of a request.
    Answer(Value),
    /// The result of a request, and the tokens that the client has after it.
    Tokens { answer: Value, data: Arc<Vec<SemanticToken>> },
    /// Diagnostics to publish.
    Diagnostics(Vec<Diagnostic>),
    /// A name whose definition may lie in any file.
    Linked(Option<String>),
    /// What would be run for the selected launch.
    Prepared(Box<Prepared>),
}

/// Why a question brought nothing.
#[derive(Debug)]
pub(super) enum Failure {
    /// An edit came, or the asker lost interest.
    Cancelled,
    /// It cannot be answered; the sentence is for the user.
    Refused(String),
    /// A mistake of ours.
    Panicked(String),
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Failure {
        Failure::Cancelled
    }
}

/// For whom a question is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asker {
    /// A request of the client.
    Request(Id),
    /// The client as such, which wants to be told diagnostics.
    Publish,
    /// The simulation of the document, which numbers its questions: an answer to one before the last is none.
    Prepare(u64),
}

/// How soon an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Somebody is looking at the place: before everything else.
    Now,
    /// Soon enough when a worker is free.
    Soon,
    /// The same, but in a very large function only after a pause in typing.
    AtRest,
}

/// A question on its way.
pub(super) struct Job {
    pub(super) asker: Asker,
    pub(super) urgency: Urgency,
    pub(super) uri: Uri,
    /// The version of the document when it was asked.
    pub(super) version: i32,
    pub(super) ask: Ask,
}

/// A question that a worker is done with.
pub(super) struct Finished {
    pub(super) job: Job,
    pub(super) outcome: Result<Done, Failure>,
}

impl Job {
    /// Asks. Whatever happens inside, it comes back as an outcome, and the question is gone by then.
    pub(super) fn run(self, question: Question) -> Finished {
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.ask)(&question)));
        drop(question);
        let outcome = outcome.unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(&*panic))));
        Finished { job: self, outcome }
    }
}

/// What a panic said.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use warplens_ide::AnalysisHost;

    use super::*;

    fn run(ask: Ask) -> Result<Done, Failure> {
        let uri: Uri = "file:///k.ptx".parse().expect("it is an address");
        let question = Question {
            uri: uri.clone(),
            file: FileId(1),
            language: warplens_ide::PTX,
            version: 1,
            text: Rope::new(),
            encoding: Encoding::Utf16,
            abilities: Arc::default(),
            settings: Arc::default(),
            lanes: None,
            ptxas: Shown::default(),
            tokens: None,
            analysis: AnalysisHost::new().snapshot(),
        };
        let job = Job { asker: Asker::Publish, urgency: Urgency::Soon, uri, version: 1, ask };
        job.run(question).outcome
    }

    #[test]
    fn a_panic_is_an_outcome_that_says_what_it_said() {
        let Err(Failure::Panicked(why)) = run(Box::new(|_| panic!("line {}", 7))) else {
            panic!("it was lost")
        };
        assert_eq!(why, "line 7");
    }

    #[test]
    fn what_is_refused_keeps_its_reason() {
        let outcome = run(Box::new(|question| Err(Failure::Refused(question.language_id().into()))));
        assert!(matches!(outcome, Err(Failure::Refused(why)) if why == "ptx"));
    }
}
