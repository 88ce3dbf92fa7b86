//! Questions about all files: symbols of the workspace, and where a name is defined.
//!
//! Files that are open are taken as they are in the editor, the others from the folders of the workspace. A survey works
//! on texts of its own and holds no snapshot: it may take a while, and no edit shall wait for it.

mod files;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ropey::Rope;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types as lsp;
use warplens_ide::{AnalysisHost, FileId, Language, SymbolKind};

use super::convert;
use super::event::Event;
use super::job::panic_message;
use super::requests::to_value;
use super::state::{State, error};
use crate::position::{self, Encoding};
use files::Stamp;

/// At most so many symbols are given; an editor narrows them down by typing more.
const MAX_SYMBOLS: usize = 500;

/// What surveys need between them.
#[derive(Default)]
pub(super) struct Surveys {
    /// The folders of the workspace.
    folders: Vec<PathBuf>,
    known: Arc<Mutex<Known>>,
    waiting: VecDeque<(Id, Search)>,
}

/// What files declare, as long as they stay what they were.
type Known = FxHashMap<lsp::Uri, (Stamp, Arc<[Entry]>)>;

/// What is looked for.
#[derive(Clone)]
pub(super) enum Search {
    /// Symbols whose names have these letters in this order.
    Symbols(String),
    /// The definitions of a name.
    Definitions(String),
}

/// A name that a file declares.
struct Entry {
    name: String,
    kind: SymbolKind,
    full: lsp::Range,
    focus: lsp::Range,
    is_definition: bool,
}

/// An open document at this moment.
struct Open {
    uri: lsp::Uri,
    version: i32,
    language: Language,
    text: Rope,
}

/// All that a survey looks at.
struct Survey {
    open: Vec<Open>,
    folders: Vec<PathBuf>,
    known: Arc<Mutex<Known>>,
    encoding: Encoding,
    links: bool,
}

impl Surveys {
    /// The folders that the client opened.
    pub(super) fn open_folders(&mut self, params: &lsp::InitializeParams) {
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        #[expect(deprecated, reason = "what older clients send")]
        let root = params.root_uri.as_ref().filter(|_| params.workspace_folders.is_none());
        self.folders = folders.chain(root).filter_map(path).collect();
    }

    /// Folders came and went.
    pub(super) fn change_folders(&mut self, params: lsp::DidChangeWorkspaceFoldersParams) {
        let removed: Vec<PathBuf> =
            params.event.removed.iter().filter_map(|folder| path(&folder.uri)).collect();
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(params.event.added.iter().filter_map(|folder| path(&folder.uri)));
    }
}

fn path(uri: &lsp::Uri) -> Option<PathBuf> {
    (uri.scheme().as_str() == "file").then(|| uri.to_file_path().map(std::borrow::Cow::into_owned)).flatten()
}

impl State {
    /// `workspace/symbol`.
    pub(super) fn workspace_symbols(&mut self, id: Id, params: Value) {
        match serde_json::from_value::<lsp::WorkspaceSymbolParams>(params) {
            Ok(params) => self.surveys.waiting.push_back((id, Search::Symbols(params.query))),
            Err(error) => self.answer(&id, Err(Error::invalid_params(error.to_string()))),
        }
    }

    /// Where a name is defined, for `textDocument/implementation`.
    pub(super) fn definitions_of(&mut self, id: &Id, name: Option<String>) {
        match name {
            Some(name) => self.surveys.waiting.push_back((id.clone(), Search::Definitions(name))),
            None => self.answer(id, Ok(Value::Null)),
        }
    }

    /// The next survey that somebody still waits for.
    pub(super) fn next_survey(&mut self) -> Option<Box<dyn FnOnce() + Send>> {
        let (id, search) = loop {
            let next = self.surveys.waiting.pop_front()?;
            if self.is_pending(&next.0) {
                break next;
            }
        };
        let open = self.documents.iter().filter_map(|(uri, document)| {
            let (language, text) = (document.language()?, document.text()?.clone());
            Some(Open { uri: uri.clone(), version: document.version, language, text })
        });
        let survey = Survey {
            open: open.collect(),
            folders: self.surveys.folders.clone(),
            known: Arc::clone(&self.surveys.known),
            encoding: self.encoding,
            links: self.abilities.links,
        };
        let events = self.events.clone();
        Some(Box::new(move || {
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| survey.answer(&search)));
            let answer = answer.unwrap_or_else(|panic| {
                let why = format!("Warplens made a mistake: {}", panic_message(&*panic));
                Err(error(tower_lsp::jsonrpc::ErrorCode::InternalError, why))
            });
            let _ = events.send(Event::Surveyed(id, answer));
        }))
    }
}

impl Survey {
    fn answer(&self, search: &Search) -> Result<Value> {
        let files = self.files();
        let found = files.iter().flat_map(|(uri, entries)| entries.iter().map(move |entry| (uri, entry)));
        let answer = match search {
            Search::Symbols(query) => {
                let matching = found.filter(|(_, entry)| has_letters(&entry.name, query));
                to_value(
                    matching.take(MAX_SYMBOLS).map(|(uri, entry)| symbol(uri, entry)).collect::<Vec<_>>(),
                )
            }
            Search::Definitions(name) => {
                let definitions = found.filter(|(_, entry)| entry.is_definition && entry.name == *name);
                to_value(self.targets(definitions))
            }
        };
        answer.map_err(|_| Error::internal_error())
    }

    /// What each file declares: the open ones first, then those of the folders in the order of their names.
    fn files(&self) -> Vec<(lsp::Uri, Arc<[Entry]>)> {
        let mut found = Vec::new();
        for open in &self.open {
            let read = || Some((open.language, open.text.clone()));
            let entries = self.entries(&open.uri, Stamp::Version(open.version), read);
            found.extend(entries.map(|entries| (open.uri.clone(), entries)));
        }
        found.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        for file in files::listed(&self.folders) {
            let Some(uri) = lsp::Uri::from_file_path(&file.path) else { continue };
            if self.open.iter().any(|open| open.uri == uri) {
                continue;
            }
            let entries = self.entries(&uri, file.stamp, || files::read(&file.path));
            found.extend(entries.map(|entries| (uri, entries)));
        }
        found
    }

    /// What a file declares; read anew only where it has changed.
    fn entries(
        &self,
        uri: &lsp::Uri,
        stamp: Stamp,
        read: impl FnOnce() -> Option<(Language, Rope)>,
    ) -> Option<Arc<[Entry]>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((have, entries)) = known().get(uri)
            && *have == stamp
        {
            return Some(Arc::clone(entries));
        }
        let entries: Arc<[Entry]> = match read() {
            Some((language, text)) => self.declared(language, &text).into(),
            // Not ours, and not looked at again until it changes.
            None => Arc::default(),
        };
        known().insert(uri.clone(), (stamp, Arc::clone(&entries)));
        Some(entries)
    }

    fn declared(&self, language: Language, text: &Rope) -> Vec<Entry> {
        let mut host = AnalysisHost::new();
        host.open(FileId(0), language, &text.to_string());
        let symbols = host.snapshot().module_symbols(FileId(0)).unwrap_or_default();
        let range = |range| position::range(text, range, self.encoding);
        let entry = |symbol: warplens_ide::ModuleSymbol| Entry {
            name: symbol.name,
            kind: symbol.kind,
            full: range(symbol.target.full),
            focus: range(symbol.target.focus),
            is_definition: symbol.is_definition,
        };
        symbols.into_iter().map(entry).collect()
    }

    fn targets<'e>(
        &self,
        entries: impl Iterator<Item = (&'e lsp::Uri, &'e Entry)>,
    ) -> Option<lsp::GotoDefinitionResponse> {
        let mut entries = entries.peekable();
        entries.peek()?;
        if !self.links {
            let location = |(uri, entry): (&lsp::Uri, &Entry)| lsp::Location::new(uri.clone(), entry.focus);
            return Some(lsp::GotoDefinitionResponse::Array(entries.map(location).collect()));
        }
        let link = |(uri, entry): (&lsp::Uri, &Entry)| lsp::LocationLink {
            origin_selection_range: None,
            target_uri: uri.clone(),
            target_range: entry.full,
            target_selection_range: entry.focus,
        };
        Some(lsp::GotoDefinitionResponse::Link(entries.map(link).collect()))
    }
}

/// Whether a name has the letters of a query in their order, in any case; editors rank what is left.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|have| have == wanted))
}

#[expect(deprecated, reason = "the old field must be named, and stays empty")]
fn symbol(uri: &lsp::Uri, entry: &Entry) -> lsp::SymbolInformation {
    let file = uri.path().as_str().rsplit('/').next().map(str::to_owned);
    lsp::SymbolInformation {
        name: entry.name.clone(),
        kind: convert::symbol_kind(entry.kind),
        tags: None,
        deprecated: None,
        location: lsp::Location::new(uri.clone(), entry.focus),
        container_name: file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_their_order_in_any_case() {
        assert!(has_letters("vectorAdd", ""));
        assert!(has_letters("vectorAdd", "va"));
        assert!(has_letters("_Z3dotPf", "DOT"));
        assert!(!has_letters("vectorAdd", "av"));
    }
}
