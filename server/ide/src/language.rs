//! The seam of languages: what the features do by language, in one trait. A language is a folder that implements it
//! and a line of the registry.

use text_size::TextRange;
use warplens_ide_db::answer::{SemanticToken, TextEdit};
use warplens_ide_db::db::{Database, Db, File, FilePosition, Item, LanguageQueries};
use warplens_ide_db::names::{Named, Namespace};
use warplens_ide_diagnostics::wave::dialect::{Dialect, Rewritten};
use warplens_ide_lanes::Simulator;
use warplens_syntax::SyntaxNode;

use crate::call_item::{CallItem, Calls};
use crate::document_link::DocumentLink;
use crate::format::layout::{Comments, Layout};
use crate::inlay_hint::{InlayHint, InlayHintKinds};
use crate::module_symbol::ModuleSymbol;
use crate::proposals::Proposals;
use crate::rename_error::RenameError;
use crate::signature::SignatureHelp;

/// What the features do by language. Everything is empty by default: a language has what its implementation has.
pub trait LanguageSupport: LanguageQueries {
    /// Adds the coloured tokens of an item that touch a range, relative to it.
    fn tokens(&self, _db: &dyn Db, _item: Item<'_>, _range: TextRange, _tokens: &mut Vec<SemanticToken>) {}

    /// The Markdown about a position, with the range in its item.
    fn hover(&self, _db: &Database, _position: &FilePosition<'_>) -> Option<(TextRange, String)> {
        None
    }

    /// The page about a word of the language.
    fn explain(&self, _name: &str) -> Option<String> {
        None
    }

    /// The words that have a page.
    fn explained_names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Adds the nested ranges around a position besides those of the tree, relative to the item.
    fn selection(&self, _db: &Database, _position: &FilePosition<'_>, _ranges: &mut Vec<TextRange>) {}

    /// Adds the inlay hints in a range of an item, relative to it.
    fn inlay_hints(
        &self,
        _db: &Database,
        _file: File,
        _item: Item<'_>,
        _range: TextRange,
        _kinds: InlayHintKinds,
        _hints: &mut Vec<InlayHint>,
    ) {
    }

    /// The links of a file to others.
    fn links(&self, _db: &Database, _file: File) -> Vec<DocumentLink> {
        Vec::new()
    }

    /// The names that a file declares for all of it; `None` where the outline has them.
    fn module_symbols(&self, _db: &Database, _file: File) -> Option<Vec<ModuleSymbol>> {
        None
    }

    /// Whether the names of a module can be defined by another file.
    fn links_names(&self) -> bool {
        false
    }

    /// The function of a name.
    fn call_item(&self, _db: &Database, _file: File, _space: Namespace, _name: &str) -> Option<CallItem> {
        None
    }

    /// The calls of a function.
    fn incoming_calls(&self, _db: &Database, _file: File, _name: &str) -> Vec<Calls> {
        Vec::new()
    }

    /// The calls in a function.
    fn outgoing_calls(&self, _db: &Database, _file: File, _name: &str) -> Vec<Calls> {
        Vec::new()
    }

    /// The completions at a position.
    fn completions(&self, _db: &Database, _position: &FilePosition<'_>) -> Proposals {
        Proposals::replacing(TextRange::default())
    }

    /// The completions in an empty file.
    fn file_completions(&self, _proposals: &mut Proposals) {}

    /// The forms of the statement whose operands are typed at a position.
    fn signature_help(&self, _db: &Database, _position: &FilePosition<'_>) -> Option<SignatureHelp> {
        None
    }

    /// Features that change a file; a read-only language has none.
    fn editing(&self) -> Option<&dyn Editing> {
        None
    }

    /// The simulator, where there is one.
    fn simulator(&self) -> Option<&'static dyn Simulator> {
        None
    }
}

/// Features that change a file.
pub trait Editing: Sync {
    /// Where comments stand in a formatted file.
    fn comments(&self) -> Comments;

    /// Formats the part of an item in a window. `pause` is called often: there a cancelled request ends.
    fn format_item(
        &self,
        tree: &SyntaxNode,
        text: &str,
        window: TextRange,
        layout: &mut Layout,
        pause: &dyn Fn(),
    );

    /// What keeps an item from being formatted, besides syntax errors.
    fn misplaced(&self, _db: &Database, _item: Item<'_>) -> Option<TextRange> {
        None
    }

    /// The edit after a letter was typed before an offset.
    fn word_typed(
        &self,
        _db: &Database,
        _file: File,
        _text: &str,
        _offset: text_size::TextSize,
    ) -> Option<TextEdit> {
        None
    }

    /// The edit of the line that was begun by ending the one before: where that ended, and where the cursor is.
    fn line_begun(
        &self,
        _db: &Database,
        _file: File,
        _text: &str,
        _between: (text_size::TextSize, text_size::TextSize),
    ) -> Option<TextEdit> {
        None
    }

    /// Whether local names that nothing declares can be renamed.
    fn renames_undeclared(&self) -> bool {
        false
    }

    /// The edits that rename what is named at a position.
    ///
    /// # Errors
    /// When the new name does not fit.
    fn rename(
        &self,
        db: &Database,
        position: &FilePosition<'_>,
        named: &Named,
        name: &str,
    ) -> Result<Vec<TextEdit>, RenameError>;

    /// The file in another dialect, as far as it can be written so.
    fn rewrite(&self, _db: &Database, _file: File, _dialect: Dialect) -> Rewritten {
        Rewritten::default()
    }
}
