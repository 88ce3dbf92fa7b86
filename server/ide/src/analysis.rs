//! The two faces of the crate: [`AnalysisHost`] takes edits, [`Analysis`] answers questions.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use salsa::{Database as _, Setter};
use text_size::{TextRange, TextSize};
use warplens_hir::wave::Accepts;
use warplens_ide_db::answer::{
    CompletionItem, Diagnostic, FileId, Fix, Fold, Hover, Occurrence, RenameTarget, SemanticToken, Symbol,
    Target, TextEdit,
};
use warplens_ide_db::db::{Database, Db, Document, File};
use warplens_ide_db::languages::Known;
use warplens_ide_db::profile::Profile;
use warplens_ide_diagnostics::dialect::{Dialect, Rewritten};
use warplens_ide_diagnostics::rules::Rules;
use warplens_ide_lanes::{LaunchFile, LaunchProblem, Lens, LensStyle, Offer, Prepared, RunRequest, Shown};
use warplens_sim::launch::FileReader;
use warplens_syntax::{ItemList, Language};

use crate::call_hierarchy::{CallItem, Calls};
use crate::format::Formatted;
use crate::inlay_hints::{InlayHint, InlayHintKinds};
use crate::links::DocumentLink;
use crate::module_symbols::ModuleSymbol;
use crate::signature_help::SignatureHelp;

/// Why a question was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// The documents are being changed; ask again of a new snapshot.
    ByEdit,
    /// Its [`Canceller`] was used.
    ByCaller,
}

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Cancelled::ByEdit => "cancelled by an edit",
            Cancelled::ByCaller => "cancelled on request",
        })
    }
}

impl std::error::Error for Cancelled {}

/// The range of an edit does not lie in the document, or cuts a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfRange;

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the edit does not lie in the document")
    }
}

impl std::error::Error for OutOfRange {}

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited {
    /// The size in bytes of the largest item that is new. What a keystroke costs follows it: over a megabyte
    /// diagnostics are better asked for after a pause in typing.
    pub largest_item: usize,
}

/// Owns the documents. An edit waits until every [`Analysis`] is gone, and makes those at work give up.
#[derive(Default)]
pub struct AnalysisHost {
    files: Arc<FxHashMap<FileId, File>>,
    /// Inputs of closed files: the database never frees an input, so they are used again.
    free: Vec<File>,
    rules: Arc<Rules>,
    accepts: Accepts,
    db: Database,
}

impl AnalysisHost {
    /// A host without documents.
    #[must_use]
    pub fn new() -> AnalysisHost {
        AnalysisHost::default()
    }

    /// A host that reports each event of its database.
    #[cfg(test)]
    pub fn observed(observer: impl Fn(salsa::Event) + Send + Sync + 'static) -> AnalysisHost {
        AnalysisHost { db: Database::observed(observer), ..AnalysisHost::default() }
    }

    /// Opens a document, or replaces its whole text and language.
    pub fn open(&mut self, id: FileId, language: Language, text: &str) {
        let document = Document::new(ItemList::new(language, text));
        let reused = self.files.get(&id).copied().or_else(|| self.free.pop());
        let file = match reused {
            Some(file) => {
                file.set_id(&mut self.db).to(id);
                file.set_language(&mut self.db).to(language);
                file.set_document(&mut self.db).to(document);
                file.set_profile(&mut self.db).to(Profile::default());
                file.set_accepts(&mut self.db).to(self.accepts);
                file
            }
            None => File::new(&self.db, id, language, document, Profile::default(), self.accepts),
        };
        Arc::make_mut(&mut self.files).insert(id, file);
    }

    /// Replaces a range of an open document, and says how much text has to be looked at anew.
    ///
    /// # Errors
    /// When the range does not lie in the document; the document stays as it was.
    pub fn edit(&mut self, id: FileId, range: TextRange, insert: &str) -> Result<Edited, OutOfRange> {
        let Some(&file) = self.files.get(&id) else { return Err(OutOfRange) };
        let before = file.document(&self.db);
        let (after, summary) = before.edited(range, insert).ok_or(OutOfRange)?;
        self.db.cache().note_edit(before, &after, summary);
        let new = &after.items().items()[summary.first..summary.first + summary.inserted];
        let largest_item = new.iter().map(|item| item.text.len()).max().unwrap_or(0);
        file.set_document(&mut self.db).to(after);
        Ok(Edited { largest_item })
    }

    /// Checks an open document against this profile in place of what it says itself.
    pub fn set_profile(&mut self, id: FileId, profile: Profile) {
        if let Some(file) = self.files.get(&id) {
            file.set_profile(&mut self.db).to(profile);
        }
    }

    /// Holds WAVE against this language from now on, in all documents.
    pub fn set_accepts(&mut self, accepts: Accepts) {
        if std::mem::replace(&mut self.accepts, accepts) != accepts {
            for file in self.files.values() {
                file.set_accepts(&mut self.db).to(accepts);
            }
        }
    }

    /// Says of all documents what these rules want said.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = Arc::new(rules);
    }

    /// Forgets a document and all that was computed from it.
    pub fn close(&mut self, id: FileId) {
        if let Some(file) = Arc::make_mut(&mut self.files).remove(&id) {
            let empty = Document::new(ItemList::new(file.language(&self.db), ""));
            file.set_document(&mut self.db).to(empty);
            self.free.push(file);
        }
    }

    /// The text of an open document.
    #[must_use]
    pub fn text(&self, id: FileId) -> Option<String> {
        self.files.get(&id).map(|file| file.document(&self.db).items().text())
    }

    /// The documents as they are now. Drop it before the next edit is due: an edit waits for it.
    #[must_use]
    pub fn snapshot(&self) -> Analysis {
        Analysis { files: Arc::clone(&self.files), rules: Arc::clone(&self.rules), db: self.db.clone() }
    }
}

/// Makes the questions of one [`Analysis`] give up, from any thread.
#[derive(Clone)]
pub struct Canceller(salsa::CancellationToken);

impl Canceller {
    /// The question at work, or the next one, answers [`Cancelled`].
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// The documents at one moment. Cheap to take; can be sent to a worker thread. A question about a file that is not
/// open has an empty answer.
#[derive(Clone)]
pub struct Analysis {
    files: Arc<FxHashMap<FileId, File>>,
    rules: Arc<Rules>,
    // Last, so that it is dropped last: an edit goes on the moment it is gone.
    db: Database,
}

const NOT_OPEN: &str = "the file is not open";

/// What a question answers.
pub type Answer<T> = Result<T, Cancelled>;

impl Analysis {
    /// Stops the questions of this snapshot.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller(self.db.cancellation_token())
    }

    /// The language of a file.
    pub fn language(&self, file: FileId) -> Answer<Option<Language>> {
        self.ask(file, |db, file| Some(file.language(db)))
    }

    /// All problems of a file, in order; at most [`MAX_DIAGNOSTICS`](warplens_ide_diagnostics::item::MAX_DIAGNOSTICS), errors
    /// before others, and then one that says so.
    pub fn diagnostics(&self, file: FileId) -> Answer<Vec<Diagnostic>> {
        self.ask(file, |db, file| warplens_ide_diagnostics::file::diagnostics(db, file, &self.rules))
    }

    /// Does a part of the work of [`diagnostics`](Analysis::diagnostics) beforehand: threads with clones of this snapshot
    /// and the same counter, which begins at 0, share the items of the file.
    pub fn share_diagnostics(&self, file: FileId, next: &std::sync::atomic::AtomicUsize) -> Answer<()> {
        self.ask(file, |db, file| warplens_ide_diagnostics::share::take_share(db, file, &self.rules, next))
    }

    /// A WAVE file in one of its spellings, as far as it can be written so.
    pub fn rewrite_in_dialect(&self, file: FileId, dialect: Dialect) -> Answer<Rewritten> {
        self.ask(file, |db, file| match Known::of(file.language(db)) {
            Known::Wave => warplens_ide_diagnostics::dialect::rewrite_in_dialect(db, file, dialect),
            Known::Ptx => Rewritten::default(),
        })
    }

    /// A comment that switches a diagnostic of the file off for its line, where one can.
    pub fn allow_fix(&self, file: FileId, found: &Diagnostic) -> Answer<Option<Fix>> {
        self.ask(file, |db, file| warplens_ide_diagnostics::allow_fix::allow_fix(db, file, found))
    }

    /// The explanation of what is at a place.
    pub fn hover(&self, file: FileId, offset: TextSize) -> Answer<Option<Hover>> {
        self.ask(file, |db, file| crate::hover::hover(db, file, offset))
    }

    /// What fits at a place.
    pub fn completions(&self, file: FileId, offset: TextSize) -> Answer<Vec<CompletionItem>> {
        self.ask(file, |db, file| crate::completion::completions(db, file, offset))
    }

    /// Where the name at a place is declared: one place, more when it is declared twice.
    pub fn definition(&self, file: FileId, offset: TextSize) -> Answer<Vec<Target>> {
        self.ask(file, |db, file| crate::definition::definition(db, file, offset))
    }

    /// All occurrences of the name at a place, its declaration among them, in the order of the text: references and
    /// highlights alike.
    pub fn occurrences(&self, file: FileId, offset: TextSize) -> Answer<Vec<Occurrence>> {
        self.ask(file, |db, file| crate::occurrences::occurrences(db, file, offset))
    }

    /// What a rename at a place would rename, or why nothing can be renamed there.
    pub fn prepare_rename(&self, file: FileId, offset: TextSize) -> Answer<Result<RenameTarget, String>> {
        let target = self.ask(file, |db, file| Some(crate::rename::prepare(db, file, offset)))?;
        Ok(target.unwrap_or_else(|| Err(NOT_OPEN.into())))
    }

    /// The edits that rename what is at a place, or why that name cannot be.
    pub fn rename(
        &self,
        file: FileId,
        offset: TextSize,
        name: &str,
    ) -> Answer<Result<Vec<TextEdit>, String>> {
        let edits = self.ask(file, |db, file| Some(crate::rename::rename(db, file, offset, name)))?;
        Ok(edits.unwrap_or_else(|| Err(NOT_OPEN.into())))
    }

    /// The outline.
    pub fn symbols(&self, file: FileId) -> Answer<Vec<Symbol>> {
        self.ask(file, crate::symbols::symbols)
    }

    /// What can be folded.
    pub fn folds(&self, file: FileId) -> Answer<Vec<Fold>> {
        self.ask(file, crate::folding::folds)
    }

    /// The coloured tokens of a whole file.
    pub fn tokens(&self, file: FileId) -> Answer<Vec<SemanticToken>> {
        self.ask(file, crate::tokens::tokens)
    }

    /// The coloured tokens that touch a range.
    pub fn tokens_in(&self, file: FileId, range: TextRange) -> Answer<Vec<SemanticToken>> {
        self.ask(file, |db, file| crate::tokens::tokens_in(db, file, range))
    }

    /// The nested ranges around a place, the smallest first.
    pub fn selection(&self, file: FileId, offset: TextSize) -> Answer<Vec<TextRange>> {
        self.ask(file, |db, file| crate::selection::selection(db, file, offset))
    }

    /// The tree as text, for debugging.
    pub fn syntax_tree(&self, file: FileId) -> Answer<String> {
        self.ask(file, warplens_ide_db::db::syntax_tree)
    }

    /// The function that is named at a place.
    pub fn call_item(&self, file: FileId, offset: TextSize) -> Answer<Option<CallItem>> {
        self.ask(file, |db, file| crate::call_hierarchy::call_item(db, file, offset))
    }

    /// Who calls the function of this name.
    pub fn incoming_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.ask(file, |db, file| crate::call_hierarchy::incoming(db, file, name))
    }

    /// Whom the function of this name calls.
    pub fn outgoing_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.ask(file, |db, file| crate::call_hierarchy::outgoing(db, file, name))
    }

    /// The edits that format a file.
    pub fn format(&self, file: FileId) -> Answer<Formatted> {
        self.ask(file, crate::format::format)
    }

    /// The edits that format the lines of a range.
    pub fn format_range(&self, file: FileId, range: TextRange) -> Answer<Formatted> {
        self.ask(file, |db, file| crate::format::format_range(db, file, range))
    }

    /// The edits that format what was ended by typing `;` or a line end just before a place; in WAVE also those that move
    /// the line of the place to where it belongs, when it has just begun or become one that closes something.
    pub fn format_typed(&self, file: FileId, offset: TextSize) -> Answer<Vec<TextEdit>> {
        self.ask(file, |db, file| crate::format::format_typed(db, file, offset))
    }

    /// The hints in a range; items outside of it are not looked at.
    pub fn inlay_hints(
        &self,
        file: FileId,
        range: TextRange,
        kinds: InlayHintKinds,
    ) -> Answer<Vec<InlayHint>> {
        self.ask(file, |db, file| crate::inlay_hints::inlay_hints(db, file, range, kinds))
    }

    /// The links of a file, in the order of the text.
    pub fn links(&self, file: FileId) -> Answer<Vec<DocumentLink>> {
        self.ask(file, crate::links::links)
    }

    /// The names that a file declares for all of it, in the order of the text.
    pub fn module_symbols(&self, file: FileId) -> Answer<Vec<ModuleSymbol>> {
        self.ask(file, crate::module_symbols::module_symbols)
    }

    /// The name at a place, when it is one that another file may define.
    pub fn linked_name(&self, file: FileId, offset: TextSize) -> Answer<Option<String>> {
        self.ask(file, |db, file| crate::module_symbols::linked_name(db, file, offset))
    }

    /// The forms of the statement whose operands are typed at a place.
    pub fn signature_help(&self, file: FileId, offset: TextSize) -> Answer<Option<SignatureHelp>> {
        self.ask(file, |db, file| crate::signature_help::signature_help(db, file, offset))
    }

    /// The launches of a document in the order in which one is chosen where none is named; an inferred one for each kernel
    /// comes last.
    pub fn launches(&self, file: FileId, launches: Option<&LaunchFile>) -> Answer<Vec<Offer>> {
        self.ask(file, |db, file| warplens_ide_lanes::prepare::launches_of(db, file, launches))
    }

    /// The lenses over the kernels of a document.
    pub fn lenses(
        &self,
        file: FileId,
        launches: Option<&LaunchFile>,
        shown: Option<&Shown>,
        style: LensStyle,
    ) -> Answer<Vec<Lens>> {
        self.ask(file, |db, file| warplens_ide_lanes::prepare::lenses_of(db, file, launches, shown, style))
    }

    /// Everything that a run needs, or why there can be none. `read_file` gives the contents of files that a launch names,
    /// relative to its launch file.
    pub fn prepare_run(
        &self,
        file: FileId,
        request: &RunRequest,
        launches: Option<&LaunchFile>,
        read_file: FileReader<'_>,
    ) -> Answer<Result<Prepared, LaunchProblem>> {
        let run = self.ask(file, |db, file| {
            Some(warplens_ide_lanes::prepare::prepare(db, file, request, launches, read_file))
        })?;
        Ok(run.unwrap_or_else(|| Err(LaunchProblem::new(NOT_OPEN))))
    }

    /// What the run that is shown in a document found, as far as rules and comments let it through. A finding about a
    /// statement that was edited since is gone with what it was about.
    pub fn findings(&self, file: FileId, shown: &Shown) -> Answer<Vec<Diagnostic>> {
        self.ask(file, |db, source| warplens_ide_lanes::findings::findings_of(db, source, shown, &self.rules))
    }

    /// Every question goes through here: the one place where a cancelled computation is caught. The whole body runs
    /// attached, since a token tripped between two attached stretches would be lost.
    pub fn ask<T: Default>(&self, id: FileId, question: impl FnOnce(&Database, File) -> T) -> Answer<T> {
        let Some(&file) = self.files.get(&id) else { return Ok(T::default()) };
        salsa::Cancelled::catch(AssertUnwindSafe(|| salsa::attach(&self.db, || question(&self.db, file))))
            .map_err(|cancelled| match cancelled {
                salsa::Cancelled::Local => Cancelled::ByCaller,
                _ => Cancelled::ByEdit,
            })
    }
}

#[cfg(test)]
mod tests;
