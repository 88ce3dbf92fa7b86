//! The interface between the features and a language: one table of the functions that differ between languages. To add a
//! language, add a folder that defines such a table and a line in the registry.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{
    CallItem, Calls, Database, Db, DocumentLink, File, FilePosition, InlayHint, InlayHintKinds, Item,
    LanguageQueries, ModuleSymbol, Named, Namespace, SemanticToken, SignatureHelp, TextEdit,
};
use warplens_ide_diagnostics::wave::dialect::{Dialect, Rewritten};
use warplens_ide_lanes::Simulator;
use warplens_syntax::Language;

use crate::contraction::Contractions;
use crate::format::layout::Comments;
use crate::format::style::Style;
use crate::proposals::Proposals;
use crate::reduce::Reducible;
use crate::rename_error::RenameError;

/// The features of a language. A language sets the ones it has; [`new`](LanguageSupport::new) sets none.
#[derive(Clone, Copy)]
pub struct LanguageSupport {
    pub info: Language,
    pub queries: LanguageQueries,
    /// Adds the semantic tokens of an item that overlap a range, relative to it.
    pub tokens: fn(&dyn Db, Item<'_>, TextRange, &mut Vec<SemanticToken>),
    /// The Markdown about a position, and the range in its item that it describes.
    pub hover: fn(&FilePosition<'_>) -> Option<(TextRange, String)>,
    /// A hover that the text of another file makes more precise.
    pub source_hover: Option<SourceHover>,
    pub explain: fn(&str) -> Option<String>,
    /// The words for which `explain` has a page.
    pub explained_names: fn() -> Vec<&'static str>,
    /// The fields of a descriptor with these bits. The kind is needed if the bits do not determine it.
    pub explain_descriptor: fn(u64, Option<&str>) -> Option<String>,
    /// Adds nested ranges around a position to those of the tree, relative to the item.
    pub selection: fn(&FilePosition<'_>, &mut Vec<TextRange>),
    /// Adds the inlay hints in a range of an item, relative to it.
    pub inlay_hints: fn(&Database, File, Item<'_>, TextRange, InlayHintKinds, &mut Vec<InlayHint>),
    /// One line about the resources of each function, if the text shows them, with the range of the function's name.
    pub summaries: fn(&Database, File) -> Vec<(TextRange, String)>,
    /// The paths of the source files that a file names.
    pub sources: fn(&Database, File) -> Vec<String>,
    /// The links of an item to other files that start in a range. They are relative to the item and in text
    /// order.
    pub links: fn(&Database, File, Item<'_>, TextRange) -> Vec<DocumentLink>,
    /// The names that a file declares for the whole module, if the outline lacks them.
    pub module_symbols: Option<fn(&Database, File) -> Vec<ModuleSymbol>>,
    /// Whether another file can define names that a module uses.
    pub links_names: bool,
    pub call_item: fn(&Database, File, Namespace, &str) -> Option<CallItem>,
    /// The callers of the function with this name.
    pub incoming_calls: fn(&Database, File, &str) -> Vec<Calls>,
    /// The calls in the function with this name.
    pub outgoing_calls: fn(&Database, File, &str) -> Vec<Calls>,
    pub completions: fn(&FilePosition<'_>) -> Proposals,
    pub file_completions: fn(&mut Proposals),
    pub signature_help: fn(&FilePosition<'_>) -> Option<SignatureHelp>,
    /// The features that edit a file; `None` for a read-only language.
    pub editing: Option<Editing>,
    pub simulator: Option<&'static dyn Simulator>,
    /// The sums of a file that an assembler may fuse with a product.
    pub contractions: fn(&Database, File) -> Contractions,
}

impl LanguageSupport {
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
            sources: |_, _| Vec::new(),
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
            contractions: |_, _| Contractions::default(),
        }
    }
}

/// A hover that is more precise with the text of the file that the document was generated from.
#[derive(Clone, Copy)]
pub struct SourceHover {
    /// Extension of that file, which may be next to the document.
    pub extension: &'static str,
    /// Paths that the document states for it; `None` if the hover at this position does not need the file.
    pub files: fn(&FilePosition<'_>) -> Option<Vec<SmolStr>>,
    pub hover: fn(&FilePosition<'_>, &str) -> Option<(TextRange, String)>,
}

pub type Rename = fn(&FilePosition<'_>, &Named, &str) -> Result<Vec<TextEdit>, RenameError>;

/// Finds the removable parts of the kernel with this name.
pub type FindReducible = fn(&Database, File, &str) -> Option<Reducible>;

#[derive(Clone, Copy)]
pub struct Editing {
    /// The position of comments in a formatted file.
    pub comments: Comments,
    pub style: fn(&str) -> Box<dyn Style + '_>,
    /// The part of an item that prevents formatting, although the item has no syntax error.
    pub misplaced: fn(&Database, Item<'_>) -> Option<TextRange>,
    /// The edit after a letter was typed before an offset.
    pub word_typed: fn(&Database, File, &str, TextSize) -> Option<TextEdit>,
    /// The edit for a new line. The offsets are the end of the previous line and the cursor.
    pub line_begun: fn(&Database, File, &str, (TextSize, TextSize)) -> Option<TextEdit>,
    pub rename: Rename,
    /// Whether local names without a declaration can be renamed.
    pub renames_undeclared: bool,
    /// Rewrites the file in another dialect, as far as possible.
    pub rewrite: fn(&Database, File, Dialect) -> Rewritten,
    /// The removable parts of a kernel, if kernels of the language can be reduced.
    pub reducible: Option<FindReducible>,
}

impl Editing {
    /// A language with formatting and renaming only.
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
