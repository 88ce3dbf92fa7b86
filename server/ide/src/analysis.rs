//! The two public types of the crate: [`AnalysisHost`] applies edits, [`Analysis`] answers queries.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use salsa::{Database as _, Setter};
use text_size::{TextRange, TextSize};
use thiserror::Error;
use warplens_hir::wave::Accepts;
use warplens_ide_db::{
    CallItem, Calls, CompletionItem, Database, Db, Diagnostic, Document, DocumentLink, File, FileId,
    FilePosition, Fix, Fixes, Fold, Hover, InlayHint, InlayHintKinds, ModuleSymbol, Named, Observer,
    Occurrence, Profile, RenameTarget, SemanticToken, SignatureHelp, Symbol, Target, TextEdit,
};
use warplens_ide_diagnostics::rules::Rules;
use warplens_ide_diagnostics::wave::dialect::{Dialect, Rewritten};
use warplens_ide_diagnostics::{allow_fix, share};
use warplens_ide_lanes as lanes;
use warplens_ide_lanes::fixes::{self, ProposedFixes, Version};
use warplens_ide_lanes::{
    AvailableLaunch, LaneView, LaunchFiles, LaunchProblem, Lens, LensStyle, Prepared, RunRequest,
};
use warplens_sim_launch::FileReader;
use warplens_sim_warp::Workers;
use warplens_syntax::{ItemList, Language};

use crate::contraction::Contractions;
use crate::format::Formatted;
use crate::hover::WantedSource;
use crate::inline::{self, HostDocument, InlineOptions};
use crate::language::{Editing, LanguageSupport};
use crate::languages::{LANGUAGES, simulators};
use crate::reduce::Reducible;
use crate::rename_error::RenameError;
use crate::{
    call_hierarchy, completion, definition, folding, format, hover, inlay_hints, links, module_symbols,
    occurrences, rename, selection, signature_help, symbols, tokens,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Cancelled {
    /// The documents are being changed; retry with a new snapshot.
    #[error("canceled by an edit")]
    ByEdit,
    /// Its [`Canceller`] was used.
    #[error("canceled on request")]
    ByCaller,
}

/// The range of an edit exceeds the document or splits a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the edit is outside of the document")]
pub struct OutOfRange;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited {
    /// Size in bytes of the largest changed item. The cost of a keystroke is proportional to it: above a megabyte,
    /// request diagnostics only after a pause in typing.
    pub largest_item: usize,
}

/// Owns the documents. An edit cancels running queries and waits until every [`Analysis`] is dropped.
pub struct AnalysisHost {
    languages: &'static [LanguageSupport],
    files: Arc<FxHashMap<FileId, File>>,
    /// The open files of other languages with inline PTX.
    hosts: Arc<FxHashMap<FileId, Arc<HostDocument>>>,
    inline: InlineOptions,
    /// Inputs of closed files. The database never frees an input, so they are reused.
    free: Vec<File>,
    rules: Arc<Rules>,
    accepts: Accepts,
    db: Database,
}

impl Default for AnalysisHost {
    fn default() -> AnalysisHost {
        AnalysisHost::new()
    }
}

impl AnalysisHost {
    /// A host without documents, for all languages of the registry.
    pub fn new() -> AnalysisHost {
        AnalysisHost::with_languages(LANGUAGES)
    }

    pub fn with_languages(languages: &'static [LanguageSupport]) -> AnalysisHost {
        AnalysisHost::of(languages, None)
    }

    #[cfg(test)]
    pub(crate) fn observed(observer: impl Fn(salsa::Event) + Send + Sync + 'static) -> AnalysisHost {
        AnalysisHost::of(LANGUAGES, Some(Box::new(observer)))
    }

    fn of(languages: &'static [LanguageSupport], observer: Option<Observer>) -> AnalysisHost {
        AnalysisHost {
            languages,
            files: Arc::default(),
            hosts: Arc::default(),
            inline: InlineOptions::default(),
            free: Vec::new(),
            rules: Arc::default(),
            accepts: Accepts::default(),
            db: Database::new(languages.iter().map(|known| (known.info, known.queries)).collect(), observer),
        }
    }

    /// Opens a document, or replaces its whole text and language. Returns the size in bytes of its largest item, to which
    /// the memory for an analysis is proportional.
    pub fn open(&mut self, id: FileId, language: Language, text: &str) -> usize {
        let document = Document::new(ItemList::new(language, text));
        let largest = document.items().iter().map(|item| item.text.len()).max().unwrap_or(0);
        let reused = self.files.get(&id).copied().or_else(|| self.free.pop());
        let file = self.input(id, language, document, reused);
        Arc::make_mut(&mut self.files).insert(id, file);
        largest
    }

    /// An input with this document: the given one, or a new one.
    fn input(&mut self, id: FileId, language: Language, document: Document, reused: Option<File>) -> File {
        let (profile, accepts) = (Profile::default(), self.accepts);
        let Some(file) = reused else {
            return File::new(&self.db, id, language, document, profile, accepts, Arc::default());
        };
        file.set_id(&mut self.db).to(id);
        file.set_language(&mut self.db).to(language);
        file.set_document(&mut self.db).to(document);
        file.set_profile(&mut self.db).to(profile);
        file.set_accepts(&mut self.db).to(accepts);
        file.set_was_checked(&mut self.db).to(Arc::default());
        file
    }

    /// Replaces a range of an open document. Returns how much text must be analyzed again.
    ///
    /// # Errors
    /// If the range exceeds the document, which then stays unchanged.
    pub fn edit(&mut self, id: FileId, range: TextRange, insert: &str) -> Result<Edited, OutOfRange> {
        if self.hosts.contains_key(&id) {
            return self.edit_host(id, range, insert);
        }
        let Some(&file) = self.files.get(&id) else { return Err(OutOfRange) };
        self.edit_file(file, range, insert).ok_or(OutOfRange)
    }

    fn edit_file(&mut self, file: File, range: TextRange, insert: &str) -> Option<Edited> {
        let before = file.document(&self.db);
        let (after, summary) = before.edited(range, insert)?;
        self.db.cache().note_edit(before, &after, range, summary);
        let new = after.items().iter_from(summary.first).take(summary.inserted);
        let largest_item = new.map(|item| item.text.len()).max().unwrap_or(0);
        file.set_document(&mut self.db).to(after);
        Some(Edited { largest_item })
    }

    /// From now on, checks the document against this profile instead of the version and target that it
    /// declares.
    pub fn set_profile(&mut self, id: FileId, profile: Profile) {
        if let Some(file) = self.files.get(&id) {
            file.set_profile(&mut self.db).to(profile);
        }
    }

    /// From now on, checks all WAVE documents against this dialect.
    pub fn set_accepts(&mut self, accepts: Accepts) {
        if std::mem::replace(&mut self.accepts, accepts) != accepts {
            for file in self.files.values() {
                file.set_accepts(&mut self.db).to(accepts);
            }
        }
    }

    /// Applies these rules to the diagnostics of all documents.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = Arc::new(rules);
    }

    /// Removes a document and everything that was computed from it.
    pub fn close(&mut self, id: FileId) {
        if let Some(file) = Arc::make_mut(&mut self.files).remove(&id) {
            self.release(file);
        }
        if let Some(document) = Arc::make_mut(&mut self.hosts).remove(&id) {
            document.embedded().iter().for_each(|embedded| self.release(embedded.file));
        }
    }

    /// Drops what was computed from an input, and keeps the input for another document.
    fn release(&mut self, file: File) {
        let empty = Document::new(ItemList::new(file.language(&self.db), ""));
        file.set_document(&mut self.db).to(empty);
        file.set_was_checked(&mut self.db).to(Arc::default());
        self.free.push(file);
    }

    pub fn text(&self, id: FileId) -> Option<String> {
        if let Some(document) = self.hosts.get(&id) {
            return Some(document.text.clone());
        }
        self.files.get(&id).map(|file| file.document(&self.db).items().text())
    }

    /// Drops the caches of the items that were analyzed last. After the first check of a large document these are the last items
    /// of its text, which are unlikely to be needed next.
    pub fn clear_caches(&self) {
        self.db.cache().clear();
    }

    /// A snapshot of the documents. Drop it before the next edit, which waits for it.
    pub fn snapshot(&self) -> Analysis {
        Analysis {
            languages: self.languages,
            files: Arc::clone(&self.files),
            hosts: Arc::clone(&self.hosts),
            rules: Arc::clone(&self.rules),
            db: self.db.clone(),
        }
    }
}

/// Cancels the queries of one [`Analysis`], from any thread.
#[derive(Clone)]
pub struct Canceller(salsa::CancellationToken);

impl Canceller {
    /// Makes the running query, or else the next one, return [`Cancelled`].
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// A snapshot of the documents. Cheap to create, and can be sent to a worker thread. Queries about a file that is
/// not open return an empty result.
#[derive(Clone)]
pub struct Analysis {
    languages: &'static [LanguageSupport],
    files: Arc<FxHashMap<FileId, File>>,
    hosts: Arc<FxHashMap<FileId, Arc<HostDocument>>>,
    rules: Arc<Rules>,
    // The last field, so that it is dropped last: an edit continues as soon as this is dropped.
    db: Database,
}

const NOT_OPEN: &str = "the file is not open";

pub type Answer<T> = Result<T, Cancelled>;

impl Analysis {
    /// Lets work that waits for something else stop early.
    ///
    /// # Errors
    /// If this snapshot is cancelled.
    pub fn check_cancelled(&self, file: FileId) -> Answer<()> {
        self.query(file, |db, _| db.unwind_if_revision_cancelled())
    }

    /// Returns a handle that cancels the queries of this snapshot.
    pub fn canceller(&self) -> Canceller {
        Canceller(self.db.cancellation_token())
    }

    pub fn language(&self, file: FileId) -> Answer<Option<Language>> {
        self.query(file, |db, file| Some(file.language(db)))
    }

    /// All problems of a file, in text order. At most [`MAX_DIAGNOSTICS`](warplens_ide_diagnostics::item::MAX_DIAGNOSTICS)
    /// are returned, with errors preferred, and one more that counts the rest.
    pub fn diagnostics(&self, file: FileId) -> Answer<Vec<Diagnostic>> {
        self.diagnostics_and(file, Fixes::Included)
    }

    fn diagnostics_and(&self, file: FileId, fixes: Fixes) -> Answer<Vec<Diagnostic>> {
        if let Some(document) = self.hosts.get(&file) {
            let mut found = attached(&self.db, |db| inline::check(db, document, &self.rules))?;
            found.extend(inline::findings(document, &self.rules));
            return Ok(found);
        }
        self.query(file, |db, file| warplens_ide_diagnostics::file::diagnostics(db, file, &self.rules, fixes))
    }

    /// Like [`diagnostics`](Analysis::diagnostics), but can omit most fixes. If the check takes long, the workers share it.
    pub fn diagnostics_with(
        &self,
        file: FileId,
        fixes: Fixes,
        workers: &dyn Workers,
    ) -> Answer<Vec<Diagnostic>> {
        let is_shared = |input: &File| share::is_worthwhile(&self.db, *input);
        if workers.count() > 1 && self.files.get(&file).is_some_and(is_shared) {
            self.share_first_check(file, workers);
        }
        self.diagnostics_and(file, fixes)
    }

    /// Checks the groups of a file in advance. A cancellation or a panic that ends a worker early occurs again in the check that follows.
    fn share_first_check(&self, file: FileId, workers: &dyn Workers) {
        let (own, rules, cancelled) = (Mutex::new(self.clone()), &*self.rules, self.db.cancellation_token());
        let count = AtomicUsize::new(0);
        let next = || (!cancelled.is_cancelled()).then(|| count.fetch_add(1, Ordering::Relaxed));
        workers.together(&|| {
            let analysis = own.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let work = || analysis.query(file, |db, file| share::check_groups(db, file, rules, next));
            let _ = catch_unwind(AssertUnwindSafe(work));
        });
    }

    /// The edits that rewrite a WAVE file in a dialect, as far as possible.
    pub fn rewrite_in_dialect(&self, file: FileId, dialect: Dialect) -> Answer<Rewritten> {
        self.query_editing(file, |db, file, editing| (editing.rewrite)(db, file, dialect))
    }

    /// The removable parts of a kernel; `None` if the kernel is unknown or its language cannot be reduced.
    pub fn reducible(&self, file: FileId, kernel: &str) -> Answer<Option<Reducible>> {
        self.query_editing(file, |db, file, editing| {
            editing.reducible.and_then(|find| find(db, file, kernel))
        })
    }

    /// The sums that an assembler may fuse with a product.
    pub fn contractions(&self, file: FileId) -> Answer<Contractions> {
        self.query_language(file, |db, file, support| (support.contractions)(db, file))
    }

    /// A fix that adds a comment which switches the diagnostic off for its line, if possible.
    pub fn allow_fix(&self, file: FileId, found: &Diagnostic) -> Answer<Option<Fix>> {
        if let Some(document) = self.hosts.get(&file) {
            return Ok(inline::allow_fix(document, found));
        }
        self.query_editing(file, |db, file, _| allow_fix::allow_fix(db, file, found))
    }

    pub fn hover(&self, file: FileId, offset: TextSize) -> Answer<Option<Hover>> {
        if let Some(document) = self.hosts.get(&file) {
            let documented = attached(&self.db, |db| inline::hover(db, document, offset))?;
            let ran = inline::lanes(document, offset, &self.rules);
            return Ok(lanes::with_documentation(ran, documented));
        }
        self.query_position(file, offset, hover::hover)
    }

    /// Explains the operand at an offset: the fields of a descriptor, or a part of a matrix. `word` is the register or number
    /// there.
    pub fn operand(&self, file: FileId, offset: TextSize, word: &str) -> Answer<Option<Hover>> {
        self.query_language(file, |db, file, support| {
            lanes::operands::operand(db, file, support.simulator?, offset, word)
        })
    }

    /// The file whose text would make the hover at an offset more precise; pass it to
    /// [`hover_with`](Analysis::hover_with).
    pub fn hover_source(&self, file: FileId, offset: TextSize) -> Answer<Option<WantedSource>> {
        self.query_position(file, offset, hover::wanted)
    }

    /// The hover at an offset, with the text of the file that the document was generated from.
    pub fn hover_with(&self, file: FileId, offset: TextSize, source: &str) -> Answer<Option<Hover>> {
        self.query_position(file, offset, |position, support| hover::hover_with(position, support, source))
    }

    pub fn completions(&self, file: FileId, offset: TextSize) -> Answer<Vec<CompletionItem>> {
        if let Some(document) = self.hosts.get(&file) {
            return self.completions_in_host(document, offset);
        }
        self.query_language(file, |db, file, support| completion::completions(db, file, support, offset))
    }

    /// The declarations of the name at an offset. There are several if the name is declared twice.
    pub fn definition(&self, file: FileId, offset: TextSize) -> Answer<Vec<Target>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::definition(db, document, offset));
        }
        self.query_position(file, offset, |position, _| definition::definition(position))
    }

    /// All occurrences of the name at an offset, including its declaration, in text order. Used for references and
    /// highlights.
    pub fn occurrences(&self, file: FileId, offset: TextSize) -> Answer<Vec<Occurrence>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::occurrences(db, document, offset));
        }
        self.query_position(file, offset, |position, _| occurrences::occurrences(position))
    }

    /// The name that a rename at an offset would change, or why nothing can be renamed there.
    pub fn prepare_rename(
        &self,
        file: FileId,
        offset: TextSize,
    ) -> Answer<Result<RenameTarget, RenameError>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::prepare_rename(db, document, offset));
        }
        self.query_rename(file, offset, |position, named, _| Ok(rename::prepare(position, named)))
    }

    pub fn rename(
        &self,
        file: FileId,
        offset: TextSize,
        name: &str,
    ) -> Answer<Result<Vec<TextEdit>, RenameError>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::rename(db, document, offset, name));
        }
        self.query_rename(file, offset, |position, named, editing| {
            let mut edits = (editing.rename)(position, named, name)?;
            edits.sort_by_key(|edit| edit.range.start());
            Ok(edits)
        })
    }

    pub fn symbols(&self, file: FileId) -> Answer<Vec<Symbol>> {
        self.query(file, symbols::symbols)
    }

    pub fn folds(&self, file: FileId) -> Answer<Vec<Fold>> {
        self.query(file, folding::folds)
    }

    pub fn tokens(&self, file: FileId) -> Answer<Vec<SemanticToken>> {
        self.tokens_in(file, TextRange::up_to(u32::MAX.into()))
    }

    pub fn tokens_in(&self, file: FileId, range: TextRange) -> Answer<Vec<SemanticToken>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::tokens_in(db, document, range));
        }
        self.query_language(file, |db, file, support| tokens::tokens_in(db, file, support, range))
    }

    /// The nested selection ranges around an offset, smallest first.
    pub fn selection(&self, file: FileId, offset: TextSize) -> Answer<Vec<TextRange>> {
        self.query_position(file, offset, selection::selection)
    }

    pub fn syntax_tree(&self, file: FileId) -> Answer<String> {
        self.query(file, warplens_ide_db::syntax_tree)
    }

    pub fn call_item(&self, file: FileId, offset: TextSize) -> Answer<Option<CallItem>> {
        self.query_position(file, offset, call_hierarchy::call_item)
    }

    pub fn incoming_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.query_language(file, |db, file, support| (support.incoming_calls)(db, file, name))
    }

    pub fn outgoing_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.query_language(file, |db, file, support| (support.outgoing_calls)(db, file, name))
    }

    pub fn format(&self, file: FileId) -> Answer<Formatted> {
        self.query_editing(file, format::format)
    }

    pub fn format_range(&self, file: FileId, range: TextRange) -> Answer<Formatted> {
        self.query_editing(file, |db, file, editing| format::format_range(db, file, editing, range))
    }

    /// The edits after `;` or a newline was typed just before an offset: they format the completed line. In WAVE they also
    /// indent a new line, or dedent the line at the offset if it now closes a construct.
    pub fn format_typed(&self, file: FileId, offset: TextSize) -> Answer<Vec<TextEdit>> {
        self.query_editing(file, |db, file, editing| format::format_typed(db, file, editing, offset))
    }

    /// The hints in a range. Items outside the range are not computed.
    pub fn inlay_hints(
        &self,
        file: FileId,
        range: TextRange,
        kinds: InlayHintKinds,
    ) -> Answer<Vec<InlayHint>> {
        self.query_language(file, |db, file, support| {
            inlay_hints::inlay_hints(db, file, support, range, kinds)
        })
    }

    /// The links of a file, in text order.
    pub fn links(&self, file: FileId) -> Answer<Vec<DocumentLink>> {
        self.links_in(file, TextRange::up_to(u32::MAX.into()))
    }

    /// The links that start in a range, in text order. Items outside the range are not computed.
    pub fn links_in(&self, file: FileId, range: TextRange) -> Answer<Vec<DocumentLink>> {
        self.query_language(file, |db, file, support| links::links_in(db, file, support, range))
    }

    /// The paths of the source files that the file names.
    pub fn sources(&self, file: FileId) -> Answer<Vec<String>> {
        self.query_language(file, |db, file, support| (support.sources)(db, file))
    }

    /// The names that the file declares for the whole module, in text order.
    pub fn module_symbols(&self, file: FileId) -> Answer<Vec<ModuleSymbol>> {
        self.query_language(file, module_symbols::module_symbols)
    }

    /// The name at an offset, if another file may define it.
    pub fn linked_name(&self, file: FileId, offset: TextSize) -> Answer<Option<String>> {
        self.query_position(file, offset, module_symbols::linked_name)
    }

    /// The forms of the statement whose operands are being typed at an offset.
    pub fn signature_help(&self, file: FileId, offset: TextSize) -> Answer<Option<SignatureHelp>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |db| inline::signature_help(db, document, offset));
        }
        self.query_position(file, offset, signature_help::signature_help)
    }

    /// The launches of a document in order of preference; the inferred ones are last.
    pub fn launches(&self, file: FileId, launches: Option<&LaunchFiles>) -> Answer<Vec<AvailableLaunch>> {
        self.query_language(file, |db, file, support| {
            lanes::launches_of(db, file, support.simulator, launches)
        })
    }

    /// The code lenses above the kernels of a document.
    pub fn lenses(
        &self,
        file: FileId,
        launches: Option<&LaunchFiles>,
        shown: Option<&LaneView>,
        style: LensStyle,
    ) -> Answer<Vec<Lens>> {
        self.query_language(file, |db, file, support| {
            lanes::lenses_of(db, file, support.simulator, launches, shown, style)
        })
    }

    /// One line about the resources of each function, with the range of the function's name; in a host file, about the size of each launch.
    pub fn summaries(&self, file: FileId) -> Answer<Vec<(TextRange, String)>> {
        if let Some(document) = self.hosts.get(&file) {
            return attached(&self.db, |_| inline::launch_sites(document));
        }
        self.query_language(file, |db, file, support| (support.summaries)(db, file))
    }

    /// Prepares a run, or returns why it is impossible. `read_file` returns the contents of files that a launch names,
    /// relative to its launch file.
    pub fn prepare_run(
        &self,
        file: FileId,
        request: &RunRequest,
        launches: Option<&LaunchFiles>,
        read_file: FileReader<'_>,
    ) -> Answer<Result<Prepared, LaunchProblem>> {
        let all = simulators(self.languages);
        let run = self.query_language(file, |db, file, support| {
            let simulator = support.simulator;
            Some(lanes::prepare(db, file, simulator, &all, request, launches, read_file))
        })?;
        Ok(run.unwrap_or_else(|| Err(LaunchProblem::new(NOT_OPEN))))
    }

    /// The findings of the run that a document shows, except those that rules or comments switch off. A finding is dropped
    /// once its statement is edited.
    pub fn findings(&self, file: FileId, shown: &LaneView) -> Answer<Vec<Diagnostic>> {
        self.query_language(file, |db, source, support| {
            lanes::findings_of(db, source, support.simulator, shown, &self.rules)
        })
    }

    /// The edits that may fix a finding of the run that a document shows.
    pub(crate) fn proposed_fixes(
        &self,
        file: FileId,
        shown_and_ran: (&LaneView, &Prepared),
        found: &Diagnostic,
    ) -> Answer<Option<ProposedFixes>> {
        self.query_language(file, |db, file, support| {
            fixes::proposed_fixes(db, file, support.simulator?, &self.rules, shown_and_ran, found)
        })
    }

    /// The kernel of a run after a fix, in a database of its own.
    pub(crate) fn fixed(&self, file: FileId, text: &str, ran: &Prepared) -> Answer<Option<Version>> {
        let settings = self
            .query(file, |db, file| Some((file.language(db), file.profile(db).clone(), file.accepts(db))))?;
        let Some((language, profile, accepts)) = settings else { return Ok(None) };
        let mut host = AnalysisHost::with_languages(self.languages);
        host.set_accepts(accepts);
        host.open(file, language, text);
        host.set_profile(file, profile);
        host.snapshot().query_language(file, |db, file, support| {
            Version::of(db, file, support.simulator?, &self.rules, ran)
        })
    }

    /// Tells any thread whether this snapshot is cancelled.
    pub(crate) fn cancellation(&self, file: FileId) -> impl Fn() -> bool + Sync + use<> {
        let (own, token) = (Mutex::new(self.clone()), self.db.cancellation_token());
        move || {
            let own = own.lock().unwrap_or_else(PoisonError::into_inner);
            token.is_cancelled() || own.check_cancelled(file).is_err()
        }
    }

    /// Runs a query that depends on the language of the file. Returns an empty result if the host does not have the language.
    fn query_language<T: Default>(
        &self,
        id: FileId,
        query: impl FnOnce(&Database, File, &LanguageSupport) -> T,
    ) -> Answer<T> {
        self.query(id, |db, file| {
            let language = file.language(db);
            let support = self.languages.iter().find(|known| known.info == language);
            support.map(|support| query(db, file, support)).unwrap_or_default()
        })
    }

    /// Runs a query about a position. Returns an empty result in an empty file and beyond the end.
    fn query_position<T: Default>(
        &self,
        id: FileId,
        offset: TextSize,
        query: impl FnOnce(&FilePosition<'_>, &LanguageSupport) -> T,
    ) -> Answer<T> {
        self.query_language(id, |db, file, support| {
            let position = FilePosition::new(db, file, offset);
            position.map(|position| query(&position, support)).unwrap_or_default()
        })
    }

    /// Runs a query of a feature that edits files. Returns an empty result if the language is read-only.
    fn query_editing<T: Default>(
        &self,
        id: FileId,
        query: impl FnOnce(&Database, File, &Editing) -> T,
    ) -> Answer<T> {
        self.query_language(id, |db, file, support| {
            support.editing.as_ref().map(|editing| query(db, file, editing)).unwrap_or_default()
        })
    }

    fn query_rename<T>(
        &self,
        id: FileId,
        offset: TextSize,
        query: impl FnOnce(&FilePosition<'_>, &Named, &Editing) -> Result<T, RenameError>,
    ) -> Answer<Result<T, RenameError>> {
        let answer = self.query_language(id, |db, file, support| {
            let read_only = RenameError::ReadOnly(support.info.title);
            Some(support.editing.as_ref().ok_or(read_only).and_then(|editing| {
                let position = FilePosition::new(db, file, offset).ok_or(RenameError::Nothing)?;
                let named = rename::target(&position, editing)?;
                query(&position, &named, editing)
            }))
        })?;
        Ok(answer.unwrap_or(Err(RenameError::NotOpen)))
    }

    /// Runs a query about a file.
    fn query<T: Default>(&self, id: FileId, query: impl FnOnce(&Database, File) -> T) -> Answer<T> {
        let Some(&file) = self.files.get(&id) else { return Ok(T::default()) };
        attached(&self.db, |db| query(db, file))
    }
}

/// Runs a query, and is the only function that catches a cancelled computation. The whole body runs
/// attached to the database, because a cancellation between two attached sections would be lost.
fn attached<T>(db: &Database, query: impl FnOnce(&Database) -> T) -> Answer<T> {
    salsa::Cancelled::catch(AssertUnwindSafe(|| salsa::attach(db, || query(db)))).map_err(|cancelled| {
        match cancelled {
            salsa::Cancelled::Local => Cancelled::ByCaller,
            _ => Cancelled::ByEdit,
        }
    })
}

mod hosts;
#[cfg(test)]
mod tests;
