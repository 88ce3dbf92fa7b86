//! The interface of a language: the functions by which the features differ between languages, in one table. A language is
//! a folder that defines such a table, and a line of the registry.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{
    CallItem, Calls, Database, Db, DocumentLink, File, FilePosition, InlayHint, InlayHintKinds, Item,
    LanguageQueries, ModuleSymbol, Named, Namespace, SemanticToken, SignatureHelp, TextEdit,
};
use warplens_ide_diagnostics::wave::dialect::{Dialect, Rewritten};
use warplens_ide_lanes::Simulator;
use warplens_syntax::Language;

use crate::format::layout::Comments;
use crate::format::style::Style;
use crate::proposals::Proposals;
use crate::reduce::Reducible;
use crate::rename_error::RenameError;

/// The features of a language. A language has those that it sets; [`new`](LanguageSupport::new) sets none.
#[derive(Clone, Copy)]
pub struct LanguageSupport {
    /// The entry of the language.
    pub info: Language,
    /// The queries of the database.
    pub queries: LanguageQueries,
    /// Adds the semantic tokens of an item that overlap a range, relative to it.
    pub tokens: fn(&dyn Db, Item<'_>, TextRange, &mut Vec<SemanticToken>),
    /// The Markdown about a position, with the range in its item.
    pub hover: fn(&FilePosition<'_>) -> Option<(TextRange, String)>,
    /// The hover that another file makes more precise.
    pub source_hover: Option<SourceHover>,
    /// The page about a word of the language.
    pub explain: fn(&str) -> Option<String>,
    /// The words that have a page.
    pub explained_names: fn() -> Vec<&'static str>,
    /// The fields of a descriptor with these bits; of a kind, if the bits do not say what it is a descriptor of.
    pub explain_descriptor: fn(u64, Option<&str>) -> Option<String>,
    /// Adds the nested ranges around a position besides those of the tree, relative to the item.
    pub selection: fn(&FilePosition<'_>, &mut Vec<TextRange>),
    /// Adds the inlay hints in a range of an item, relative to it.
    pub inlay_hints: fn(&Database, File, Item<'_>, TextRange, InlayHintKinds, &mut Vec<InlayHint>),
    /// A line above each function about its resources, where the text shows them: the range of its name, and the line.
    pub summaries: fn(&Database, File) -> Vec<(TextRange, String)>,
    /// The links of an item to other files that start in a range, relative to the item and in text order.
    pub links: fn(&Database, File, Item<'_>, TextRange) -> Vec<DocumentLink>,
    /// The names that a file declares for all of it, where the outline does not have them.
    pub module_symbols: Option<fn(&Database, File) -> Vec<ModuleSymbol>>,
    /// Whether another file can define the names of a module.
    pub links_names: bool,
    /// The function with a name.
    pub call_item: fn(&Database, File, Namespace, &str) -> Option<CallItem>,
    /// The calls of a function.
    pub incoming_calls: fn(&Database, File, &str) -> Vec<Calls>,
    /// The calls in a function.
    pub outgoing_calls: fn(&Database, File, &str) -> Vec<Calls>,
    /// The completions at a position.
    pub completions: fn(&FilePosition<'_>) -> Proposals,
    /// Adds the completions in an empty file.
    pub file_completions: fn(&mut Proposals),
    /// The forms of the statement whose operands are typed at a position.
    pub signature_help: fn(&FilePosition<'_>) -> Option<SignatureHelp>,
    /// The features that change a file; a read-only language has none.
    pub editing: Option<Editing>,
    /// The simulator, if there is one.
    pub simulator: Option<&'static dyn Simulator>,
}

impl LanguageSupport {
    /// A language without features.
    #[must_use]
    pub const fn new(info: Language) -> LanguageSupport {
        LanguageSupport {
            info,
            queries: LanguageQueries::EMPTY,
            tokens: |_, _, _, _| {},
            hover: |_| None,
            source_hover: None,
            explain: |_| None,
            explained_names: Vec::new,
            explain_descriptor: |_, _| None,
            selection: |_, _| {},
            inlay_hints: |_, _, _, _, _, _| {},
            summaries: |_, _| Vec::new(),
            links: |_, _, _, _| Vec::new(),
            module_symbols: None,
            links_names: false,
            call_item: |_, _, _, _| None,
            incoming_calls: |_, _, _| Vec::new(),
            outgoing_calls: |_, _, _| Vec::new(),
            completions: |_| Proposals::replacing(TextRange::default()),
            file_completions: |_| {},
            signature_help: |_| None,
            editing: None,
            simulator: None,
        }
    }
}

/// A hover that the text of the file makes more precise that a document was made from.
#[derive(Clone, Copy)]
pub struct SourceHover {
    /// The extension of that file, which may be beside the document.
    pub extension: &'static str,
    /// The paths that the document states for it; `None` where the hover does not depend on it.
    pub files: fn(&FilePosition<'_>) -> Option<Vec<SmolStr>>,
    /// The hover with the text of the file.
    pub hover: fn(&FilePosition<'_>, &str) -> Option<(TextRange, String)>,
}

/// Computes the edits that rename what is named at a position.
pub type Rename = fn(&FilePosition<'_>, &Named, &str) -> Result<Vec<TextEdit>, RenameError>;

/// Finds the removable parts of the kernel with a name.
pub type FindReducible = fn(&Database, File, &str) -> Option<Reducible>;

/// The features that change a file.
#[derive(Clone, Copy)]
pub struct Editing {
    /// The position of comments in a formatted file.
    pub comments: Comments,
    /// The style of an item with a text.
    pub style: fn(&str) -> Box<dyn Style + '_>,
    /// The reason not to format an item that has no syntax error.
    pub misplaced: fn(&Database, Item<'_>) -> Option<TextRange>,
    /// The edit after a letter was typed before an offset.
    pub word_typed: fn(&Database, File, &str, TextSize) -> Option<TextEdit>,
    /// The edit of a new line: the offsets are the end of the previous one and the cursor.
    pub line_begun: fn(&Database, File, &str, (TextSize, TextSize)) -> Option<TextEdit>,
    /// The edits of a rename.
    pub rename: Rename,
    /// Whether local names without a declaration can be renamed.
    pub renames_undeclared: bool,
    /// The file in another dialect, as far as possible.
    pub rewrite: fn(&Database, File, Dialect) -> Rewritten,
    /// The removable parts of a kernel, in a language whose kernels can be reduced.
    pub reducible: Option<FindReducible>,
}

impl Editing {
    /// Formatting and renaming only.
    pub const fn new(comments: Comments, style: fn(&str) -> Box<dyn Style + '_>, rename: Rename) -> Editing {
        Editing {
            comments,
            style,
            misplaced: |_, _| None,
            word_typed: |_, _, _, _| None,
            line_begun: |_, _, _, _| None,
            rename,
            renames_undeclared: false,
            rewrite: |_, _, _| Rewritten::default(),
            reducible: None,
        }
    }
}
