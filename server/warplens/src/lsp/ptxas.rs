//! The assembler of the user's own, beside our checks: off until a setting names it.
//!
//! A save runs it in the background, one run a document; a newer save stops the run before. What it finds is shown on
//! lines where we find no error, and goes when that line is edited or the document is saved again. What a kernel uses
//! takes a whole run, so that is asked for, by a lens. A run never holds up anything: it works on a copy of the text,
//! outside the database, and what it brings comes back as an event.

mod output;
mod run;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::{
    CodeLens, Command, Diagnostic, DiagnosticSeverity, DidSaveTextDocumentParams, MessageType, Uri,
};
use warplens_ide::SymbolKind;

use super::document::Edit;
use super::event::Event;
use super::job::{Failure, Question};
use super::requests::to_value;
use super::state::{State, refused};
use output::{Message, Resources};
use run::{Printed, Task};

/// Runs the assembler and says what the kernels of a document use.
pub(super) const RESOURCES: &str = "warplens.ptxasResources";

/// What is known of each document, and what is under way.
#[derive(Default)]
pub(super) struct Ptxas {
    documents: HashMap<Uri, Document>,
    /// Numbers tell runs apart; a late word about an old one is not heard.
    runs: u64,
}

#[derive(Default)]
struct Document {
    shown: Shown,
    check: Option<Run>,
    whole: Option<Run>,
}

/// What is shown of it in a document.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    /// Errors and warnings, by the line where they stand.
    found: Arc<Vec<(TextRange, Message)>>,
    /// What the kernels use, as the text is now.
    resources: Arc<Vec<Resources>>,
}

/// A run under way.
struct Run {
    number: u64,
    stop: Arc<AtomicBool>,
    /// Edits of the text since it began.
    edits: Vec<Edit>,
    text: ropey::Rope,
    /// The command that waits for it.
    asked: Option<Id>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// News of a run.
pub(super) struct Ran {
    uri: Uri,
    number: u64,
    result: Result<Option<Printed>, String>,
}

impl Ptxas {
    /// What is shown in a document.
    pub(super) fn shown(&self, uri: &Uri) -> Shown {
        self.documents.get(uri).map(|document| document.shown.clone()).unwrap_or_default()
    }

    /// Follows the text of a document. What kernels use is known of one text only.
    pub(super) fn follow(&mut self, uri: &Uri, edits: &[Edit]) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        if let Some(check) = &mut document.check {
            check.edits.extend_from_slice(edits);
        }
        if !document.shown.found.is_empty() {
            follow(Arc::make_mut(&mut document.shown.found), edits);
        }
        if !edits.is_empty() {
            document.shown.resources = Arc::default();
        }
    }

    /// Forgets a document.
    pub(super) fn close(&mut self, uri: &Uri) {
        self.documents.remove(uri);
    }
}

/// Moves what stands behind the edits, and drops what they touch.
fn follow(found: &mut Vec<(TextRange, Message)>, edits: &[Edit]) {
    for edit in edits {
        found.retain(|(range, _)| range.intersect(edit.range).is_none());
        for (range, _) in found.iter_mut().filter(|(range, _)| range.start() >= edit.range.end()) {
            *range = (*range - edit.range.len()) + edit.inserted;
        }
    }
}

impl State {
    pub(super) fn did_save(&mut self, params: DidSaveTextDocumentParams) {
        let uri = params.text_document.uri;
        if let Err(why) = self.assemble(&uri, None) {
            tracing::debug!("{}: {why}", uri.as_str());
        }
    }

    /// The command of the lens.
    pub(super) fn ptxas_resources(&mut self, id: Id, uri: &Uri) {
        if let Err(why) = self.assemble(uri, Some(id.clone())) {
            self.answer(&id, Err(refused(why)));
        }
    }

    /// Starts a run: a whole one when somebody asked for it. An older one of the same kind is stopped.
    fn assemble(&mut self, uri: &Uri, asked: Option<Id>) -> Result<(), &'static str> {
        let program = PathBuf::from(&self.settings.ptxas.path);
        if program.as_os_str().is_empty() {
            return Err("the setting `warplens.ptxas.path` names no ptxas");
        }
        let document =
            self.documents.get(uri).filter(|document| document.language() == Some(warplens_ide::PTX));
        let Some(text) = document.and_then(|document| document.text()).cloned() else {
            return Err("only PTX is assembled by ptxas");
        };
        self.ptxas.runs += 1;
        let (number, stop) = (self.ptxas.runs, Arc::new(AtomicBool::new(false)));
        let whole = asked.is_some();
        let task = Task { program, text: text.clone(), whole, stop: Arc::clone(&stop) };
        let (events, named) = (self.events.clone(), uri.clone());
        let thread = std::thread::Builder::new().name("ptxas".into()).spawn(move || {
            let _ = events.send(Event::Assembled(Ran { uri: named, number, result: task.run() }));
        });
        if thread.is_err() {
            return Err("no thread for ptxas");
        }
        let run = Run { number, stop, edits: vec![], text, asked };
        let document = self.ptxas.documents.entry(uri.clone()).or_default();
        let before = if whole { document.whole.replace(run) } else { document.check.replace(run) };
        if let Some(id) = before.and_then(|mut run| run.asked.take()) {
            self.answer(&id, Err(refused("ptxas was started anew")));
        }
        Ok(())
    }

    /// A run is over.
    pub(super) fn assembled(&mut self, Ran { uri, number, result }: Ran) {
        let Some(document) = self.ptxas.documents.get_mut(&uri) else { return };
        let is_it = |run: &mut Run| run.number == number;
        if let Some(run) = document.check.take_if(is_it) {
            self.checked(&uri, &run, result);
        } else if let Some(run) = document.whole.take_if(is_it) {
            self.measured(&uri, run, result);
        }
    }

    fn checked(&mut self, uri: &Uri, run: &Run, result: Result<Option<Printed>, String>) {
        let printed = match result {
            Ok(Some(printed)) => printed,
            Ok(None) => return,
            Err(why) => return self.say_once(why),
        };
        let messages = output::messages(&printed.output, &printed.file);
        let has_lines = messages.iter().any(|message| message.line.is_some());
        if let Some(message) = messages.iter().find(|_| !has_lines && !printed.accepted) {
            // Without a line it is about the call: a target that this ptxas does not know.
            return self.say_once(format!("ptxas: {}", message.text));
        }
        let mut found: Vec<_> = messages
            .into_iter()
            .filter_map(|message| Some((line(&run.text, message.line?), message)))
            .collect();
        follow(&mut found, &run.edits);
        if let Some(document) = self.ptxas.documents.get_mut(uri) {
            document.shown.found = Arc::new(found);
        }
        self.diagnose_again(uri);
    }

    fn measured(&mut self, uri: &Uri, mut run: Run, result: Result<Option<Printed>, String>) {
        let Some(id) = run.asked.take() else { return };
        let answer = match result {
            Ok(None) => Err("the run was stopped".to_owned()),
            Err(why) => Err(why),
            Ok(Some(printed)) if !printed.accepted => {
                let first = output::messages(&printed.output, &printed.file).into_iter().next();
                Err(first.map_or_else(
                    || "ptxas rejects the file".into(),
                    |message| format!("ptxas: {}", message.text),
                ))
            }
            Ok(Some(printed)) => Ok(output::resources(&printed.output)),
        };
        let is_current = self.documents.get(uri).and_then(|document| document.text()) == Some(&run.text);
        match answer {
            Ok(resources) => {
                let answer = to_value(&resources).unwrap_or_default();
                if let Some(document) = self.ptxas.documents.get_mut(uri).filter(|_| is_current) {
                    document.shown.resources = Arc::new(resources);
                }
                self.answer(&id, Ok(answer));
                self.refresh_lanes();
            }
            Err(why) => self.answer(&id, Err(refused(why))),
        }
    }

    fn say_once(&mut self, message: String) {
        if self.names_told.insert(message.clone()) {
            self.outbox.show(MessageType::WARNING, message);
        }
    }
}

/// The words of a line.
fn line(text: &ropey::Rope, line: usize) -> TextRange {
    let line = line.min(text.len_lines().saturating_sub(1));
    let whole = text.line(line).to_string();
    let words = whole.trim();
    let start = text.line_to_byte(line) + whole.find(words).unwrap_or(0);
    TextRange::at(TextSize::try_from(start).unwrap_or_default(), TextSize::of(words))
}

/// What it finds on lines where we find no error.
pub(super) fn merge(question: &Question, ours: &mut Vec<Diagnostic>) {
    let is_error = |found: &&Diagnostic| found.severity == Some(DiagnosticSeverity::ERROR);
    let lines: Vec<_> =
        ours.iter().filter(is_error).map(|found| (found.range.start.line, found.range.end.line)).collect();
    for (range, message) in question.ptxas.found.iter() {
        let range = question.range(*range);
        if !lines.iter().any(|(first, last)| (*first..=*last).contains(&range.start.line)) {
            ours.push(Diagnostic {
                range,
                severity: Some(message.severity),
                source: Some("ptxas".into()),
                message: message.text.clone(),
                ..Diagnostic::default()
            });
        }
    }
}

/// A lens over each kernel that says what it uses, or asks.
pub(super) fn lenses(question: &Question) -> Result<Vec<CodeLens>, Failure> {
    if question.settings.ptxas.path.is_empty() || question.language != warplens_ide::PTX {
        return Ok(vec![]);
    }
    let symbols = question.analysis.symbols(question.file)?;
    let kernels = symbols.into_iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
    let lens = |kernel: warplens_ide::Symbol| {
        let known = question.ptxas.resources.iter().find(|known| known.entry == kernel.name);
        let title = known.map_or_else(|| "ptxas: resources".into(), Resources::title);
        let arguments = vec![json!({ "uri": question.uri.as_str(), "entry": kernel.name })];
        CodeLens {
            range: question.range(kernel.focus),
            command: Some(Command { title, command: RESOURCES.into(), arguments: Some(arguments) }),
            data: None::<Value>,
        }
    };
    Ok(kernels.map(lens).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, inserted: u32) -> Edit {
        Edit { range: TextRange::new(start.into(), end.into()), inserted: inserted.into(), renewed: 0 }
    }

    #[test]
    fn findings_move_with_the_text_and_go_when_it_is_edited() {
        let message = Message { line: None, severity: DiagnosticSeverity::ERROR, text: "wrong".into() };
        let mut found = vec![(TextRange::new(10.into(), 20.into()), message)];
        follow(&mut found, &[edit(30, 31, 5)]);
        assert_eq!(found[0].0, TextRange::new(10.into(), 20.into()));
        follow(&mut found, &[edit(2, 4, 7)]);
        assert_eq!(found[0].0, TextRange::new(15.into(), 25.into()));
        follow(&mut found, &[edit(25, 25, 1)]);
        assert!(found.is_empty());
    }
}
