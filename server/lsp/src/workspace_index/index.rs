//! The index of the names that each file declares, and searches in it.
//!
//! Open files are read from the editor, others from the folders of the workspace. A search may take long and must not block edits, so it
//! works on its own copies of the texts and holds no snapshot of the analysis.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ls_types as lsp;
use ropey::Rope;
use rustc_hash::FxHashMap;
use serde_json::Value;
use warplens_ide::{AnalysisHost, FileId, Language, SymbolKind};
use warplens_protocol::jsonrpc::{Id, Result};

use crate::errors::encoded;
use crate::to_proto::{definition_response, symbol_kind};
use crate::workspace_index::files::{self, Stamp};
use warplens_protocol::position::{self, Encoding};

/// The limit of symbols in an answer. A longer query narrows the result.
const MAX_SYMBOLS: usize = 500;

/// The index of the workspace, and the queries that wait for a search.
#[derive(Default)]
pub(crate) struct WorkspaceIndex {
    folders: Arc<Vec<PathBuf>>,
    cache: Arc<Mutex<Cache>>,
    pub(crate) waiting: VecDeque<(Id, Query)>,
}

/// The names that each file declares, with the stamp of the file.
type Cache = FxHashMap<lsp::Uri, (Stamp, Arc<[Entry]>)>;

#[derive(Clone)]
pub(crate) enum Query {
    /// Symbols whose names contain these letters in this order.
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

/// An open document at one version.
pub(crate) struct OpenDocument {
    pub(crate) uri: lsp::Uri,
    pub(crate) version: i32,
    pub(crate) language: Language,
    pub(crate) text: Rope,
}

pub(crate) struct Search {
    open: Vec<OpenDocument>,
    folders: Arc<Vec<PathBuf>>,
    cache: Arc<Mutex<Cache>>,
    encoding: Encoding,
    links: bool,
}

impl WorkspaceIndex {
    /// Takes the folders from the parameters of `initialize`.
    pub(crate) fn open_folders(&mut self, params: &lsp::InitializeParams) {
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        #[expect(deprecated, reason = "sent by older clients")]
        let root = params.root_uri.as_ref().filter(|_| params.workspace_folders.is_none());
        self.folders = Arc::new(folders.chain(root).filter_map(path).collect());
    }

    /// Adds and removes folders.
    pub(crate) fn change_folders(&mut self, params: lsp::DidChangeWorkspaceFoldersParams) {
        let removed: Vec<PathBuf> =
            params.event.removed.iter().filter_map(|folder| path(&folder.uri)).collect();
        let folders = Arc::make_mut(&mut self.folders);
        folders.retain(|folder| !removed.contains(folder));
        folders.extend(params.event.added.iter().filter_map(|folder| path(&folder.uri)));
    }

    pub(crate) fn folders(&self) -> Arc<Vec<PathBuf>> {
        Arc::clone(&self.folders)
    }

    /// A search in these documents and the folders of the workspace; `links` when the client accepts location links.
    pub(crate) fn search(&self, open: Vec<OpenDocument>, encoding: Encoding, links: bool) -> Search {
        Search { open, folders: self.folders(), cache: Arc::clone(&self.cache), encoding, links }
    }
}

fn path(uri: &lsp::Uri) -> Option<PathBuf> {
    (uri.scheme().as_str() == "file").then(|| uri.to_file_path().map(std::borrow::Cow::into_owned)).flatten()
}

impl Search {
    pub(crate) fn answer(&self, query: &Query) -> Result<Value> {
        let files = self.files();
        let found = files.iter().flat_map(|(uri, entries)| entries.iter().map(move |entry| (uri, entry)));
        match query {
            Query::Symbols(letters) => {
                let matching = found.filter(|(_, entry)| has_letters(&entry.name, letters));
                let symbols = matching.take(MAX_SYMBOLS).map(|(uri, entry)| symbol(uri, entry));
                encoded(symbols.collect::<Vec<_>>())
            }
            Query::Definitions(name) => {
                let definitions = found.filter(|(_, entry)| entry.is_definition && entry.name == *name);
                encoded(self.targets(definitions))
            }
        }
    }

    /// The names of each file: first the open files, then those of the folders, ordered by name.
    fn files(&self) -> Vec<(lsp::Uri, Arc<[Entry]>)> {
        let mut found = Vec::new();
        for open in &self.open {
            let read = || Some((open.language, open.text.clone()));
            let entries = self.entries(&open.uri, Stamp::Version(open.version), read);
            found.extend(entries.map(|entries| (open.uri.clone(), entries)));
        }
        found.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        for file in files::list(&self.folders) {
            let Some(uri) = lsp::Uri::from_file_path(&file.path) else { continue };
            if self.open.iter().any(|open| open.uri == uri) {
                continue;
            }
            let entries = self.entries(&uri, file.stamp, || files::read(&file.path));
            found.extend(entries.map(|entries| (uri, entries)));
        }
        found
    }

    /// The names of a file. The file is read again only if it has changed.
    fn entries(
        &self,
        uri: &lsp::Uri,
        stamp: Stamp,
        read: impl FnOnce() -> Option<(Language, Rope)>,
    ) -> Option<Arc<[Entry]>> {
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((have, entries)) = cache().get(uri)
            && *have == stamp
        {
            return Some(Arc::clone(entries));
        }
        let entries: Arc<[Entry]> = match read() {
            Some((language, text)) => self.declared(language, &text).into(),
            // Another format. It is not read again until it changes.
            None => Arc::default(),
        };
        cache().insert(uri.clone(), (stamp, Arc::clone(&entries)));
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
        let target = |(uri, entry): (&'e lsp::Uri, &Entry)| (uri, entry.full, entry.focus);
        Some(definition_response(self.links, entries.map(target)))
    }
}

/// Whether a name contains the letters of a query in this order, ignoring case. Editors rank the matches.
fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|letter| letters.any(|other| other == letter))
}

#[expect(deprecated, reason = "the deprecated field has no default")]
fn symbol(uri: &lsp::Uri, entry: &Entry) -> lsp::SymbolInformation {
    let file = uri.path().as_str().rsplit('/').next().map(str::to_owned);
    lsp::SymbolInformation {
        name: entry.name.clone(),
        kind: symbol_kind(entry.kind),
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
    fn letters_match_in_order_in_any_case() {
        assert!(has_letters("vectorAdd", ""));
        assert!(has_letters("vectorAdd", "va"));
        assert!(has_letters("_Z3dotPf", "DOT"));
        assert!(!has_letters("vectorAdd", "av"));
    }
}
