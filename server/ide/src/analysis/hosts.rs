//! Files of other languages with inline PTX: their statements are documents of the same database.

use std::sync::Arc;

use salsa::Database as _;
use text_size::{TextRange, TextSize};
use warplens_host::Host;
use warplens_ide_db::{CompletionItem, Document, File, FileId};
use warplens_ide_diagnostics::inline::Module;
use warplens_syntax::ItemList;

use super::{Analysis, AnalysisHost, Answer, Edited, OutOfRange, attached};
use crate::inline::{self, Embedded, HostDocument, InlineOptions, TryLens};
use crate::ptx::PTX;

impl AnalysisHost {
    /// Opens a file of another language for its inline PTX, or replaces its whole text and language.
    pub fn open_host(&mut self, id: FileId, host: &'static Host, text: &str) {
        let before = Arc::make_mut(&mut self.hosts).remove(&id);
        let before = before.as_deref().map(HostDocument::embedded).unwrap_or_default();
        self.read_host(id, host, text.to_owned(), before, &[]);
    }

    /// Runs the statement at an offset of a host file for one warp from now on, or no longer. False if there is no statement.
    pub fn try_statement(&mut self, id: FileId, offset: TextSize) -> bool {
        let document = self.hosts.get(&id).cloned();
        let Some((document, tried)) = document.and_then(|it| Some((it.clone(), it.tried_after(offset)?)))
        else {
            return false;
        };
        self.read_host(id, document.host, document.text.clone(), document.embedded(), &tried);
        true
    }

    /// Reads a host file. The inputs of its former modules are used again.
    fn read_host(
        &mut self,
        id: FileId,
        host: &'static Host,
        text: String,
        before: &[Embedded],
        tried: &[TextSize],
    ) {
        let options = self.inline.clone();
        let mut former = before.iter();
        let document = HostDocument::new(id, host, &options, text, tried, |module| match former.next() {
            Some(old) => {
                self.update_module(old.file, &old.module, module);
                old.file
            }
            None => {
                let document = Document::new(ItemList::new(PTX.info, &module.text.text));
                let reused = self.free.pop();
                self.input(id, PTX.info, document, reused)
            }
        });
        former.for_each(|old| self.release(old.file));
        Arc::make_mut(&mut self.hosts).insert(id, Arc::new(document));
    }

    /// Edits the document of a module where its text has changed.
    fn update_module(&mut self, file: File, old: &Module, module: &Module) {
        if let Some((range, insert)) = difference(&old.text.text, &module.text.text) {
            self.edit_file(file, range, insert);
        }
    }

    /// Analyzes inline PTX in this way from now on.
    pub fn set_inline(&mut self, options: InlineOptions) {
        if std::mem::replace(&mut self.inline, options.clone()) == options {
            return;
        }
        for document in self.hosts.values().cloned().collect::<Vec<_>>() {
            self.open_host(document.id, document.host, &document.text);
        }
    }

    pub(super) fn edit_host(
        &mut self,
        id: FileId,
        range: TextRange,
        insert: &str,
    ) -> Result<Edited, OutOfRange> {
        // Until all snapshots are dropped, which share the document.
        self.db.trigger_cancellation();
        let documents = Arc::make_mut(&mut self.hosts);
        let document = documents.get_mut(&id).ok_or(OutOfRange)?;
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let old = &document.text;
        if old.get(start..end).is_none() {
            return Err(OutOfRange);
        }
        let changed = Arc::get_mut(document).and_then(|document| document.edit(range, insert, &self.inline));
        let document = Arc::clone(document);
        match changed {
            Some(changed) => {
                for (index, old) in changed {
                    let Embedded { file, module, .. } = &document.embedded()[index];
                    self.update_module(*file, &old, module);
                }
            }
            None => {
                let tried = document.tried_after_edit(range, TextSize::of(insert));
                let text = [&document.text[..start], insert, &document.text[end..]].concat();
                self.read_host(id, document.host, text, document.embedded(), &tried);
            }
        }
        Ok(Edited { largest_item: 0 })
    }
}

impl Analysis {
    pub(super) fn completions_in_host(
        &self,
        document: &HostDocument,
        offset: TextSize,
    ) -> Answer<Vec<CompletionItem>> {
        let Some(text) = inline::text_with_instruction(document, offset) else {
            return attached(&self.db, |db| inline::completions(db, document, offset));
        };
        let mut supposed = AnalysisHost::new();
        supposed.open_host(document.id, document.host, &text);
        let Analysis { hosts, db, .. } = &supposed.snapshot();
        let document = hosts.get(&document.id);
        document
            .map_or(Ok(Vec::new()), |document| attached(db, |db| inline::completions(db, document, offset)))
    }

    /// The statements of inline PTX that can be run for one warp, and the outputs of those that are.
    pub fn try_lenses(&self, file: FileId) -> Vec<TryLens> {
        self.hosts.get(&file).map_or_else(Vec::new, |document| inline::lenses(document, &self.rules))
    }
}

/// The smallest range of a text whose replacement gives another text; `None` if both are equal.
fn difference<'t>(old: &str, new: &'t str) -> Option<(TextRange, &'t str)> {
    if old == new {
        return None;
    }
    let common =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(one, other)| one == other).count();
    let start = old.floor_char_boundary(common(&mut old.bytes().zip(new.bytes())));
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let tail = common(&mut old_rest.bytes().rev().zip(new_rest.bytes().rev()));
    let end = old_rest.ceil_char_boundary(old_rest.len() - tail);
    let inserted = new_rest.len() - (old_rest.len() - end);
    let range = TextRange::at(TextSize::try_from(start).ok()?, TextSize::try_from(end).ok()?);
    Some((range, &new_rest[..inserted]))
}
