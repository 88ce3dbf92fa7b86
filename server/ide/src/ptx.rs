//! PTX: its implementation of the seam of languages.

mod call_hierarchy;
mod completion;
mod explain;
mod format;
mod hover;
mod inlay_hints;
mod links;
mod module_symbols;
mod rename;
mod signature_help;
mod symbols;
mod tokens;

use text_size::TextRange;
use warplens_ide_db::answer::{Diagnostic, Occurrence, SemanticToken, Symbol, Target, TextEdit};
use warplens_ide_db::db::{Database, Db, File, FilePosition, Item, LanguageQueries};
use warplens_ide_db::names::{ModuleUse, Named, Namespace, Subject};
use warplens_ide_db::problem::{Problem, TargetRanges};
use warplens_ide_db::ptx as db_side;
use warplens_ide_diagnostics::ptx as checks;
use warplens_ide_lanes::Simulator;
use warplens_syntax::{Language, SyntaxNode};

use crate::call_item::{CallItem, Calls};
use crate::document_link::DocumentLink;
use crate::format::layout::{Comments, Layout};
use crate::inlay_hint::{InlayHint, InlayHintKinds};
use crate::language::{Editing, LanguageSupport};
use crate::module_symbol::ModuleSymbol;
use crate::proposals::Proposals;
use crate::rename_error::RenameError;
use crate::signature::SignatureHelp;

/// PTX.
pub(crate) struct Ptx;

impl LanguageQueries for Ptx {
    fn info(&self) -> Language {
        warplens_syntax::ptx::LANGUAGE
    }

    fn symbols<'db>(&self, db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
        symbols::symbols(db, item)
    }

    fn module_uses<'db>(&self, db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
        db_side::names::module_uses(db, item)
    }

    fn named(&self, db: &Database, position: &FilePosition<'_>) -> Option<Named> {
        db_side::names::named(db, position)
    }

    fn local_occurrences(
        &self,
        db: &Database,
        position: &FilePosition<'_>,
        subject: &Subject,
    ) -> Vec<Occurrence> {
        db_side::names::occurrences(db, position, subject)
    }

    fn local_declaration(
        &self,
        db: &Database,
        position: &FilePosition<'_>,
    ) -> Option<(TextRange, TextRange)> {
        db_side::names::local_declaration(db, position)
    }

    fn check_item<'db>(&self, db: &'db dyn Db, file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
        checks::check_item(db, file, item, problems);
    }

    fn lints<'db>(&self, db: &'db dyn Db, file: File, item: Item<'db>, found: &mut Vec<Problem>) {
        checks::check_lints(db, file, item, found);
    }

    fn check_module(&self, db: &Database, file: File) -> Vec<Diagnostic> {
        checks::check_module(db, file)
    }

    fn module_declarations(&self, db: &Database, file: File, _space: Namespace, name: &str) -> Vec<Target> {
        db_side::names::module_declarations(db, file, name)
    }

    fn target_ranges(&self, db: &Database, file: File) -> TargetRanges {
        db_side::module_target::target_ranges(db, file)
    }
}

impl LanguageSupport for Ptx {
    fn tokens(&self, db: &dyn Db, item: Item<'_>, range: TextRange, tokens: &mut Vec<SemanticToken>) {
        tokens::tokens(db, item, range, tokens);
    }

    fn hover(&self, db: &Database, position: &FilePosition<'_>) -> Option<(TextRange, String)> {
        hover::hover(db, position)
    }

    fn explain(&self, name: &str) -> Option<String> {
        explain::explain(name)
    }

    fn explained_names(&self) -> Vec<&'static str> {
        explain::names().collect()
    }

    fn incoming_calls(&self, db: &Database, file: File, name: &str) -> Vec<Calls> {
        call_hierarchy::incoming(db, file, name)
    }

    fn outgoing_calls(&self, db: &Database, file: File, name: &str) -> Vec<Calls> {
        call_hierarchy::outgoing(db, file, name)
    }

    fn completions(&self, db: &Database, position: &FilePosition<'_>) -> Proposals {
        completion::proposals(db, position)
    }

    fn signature_help(&self, db: &Database, position: &FilePosition<'_>) -> Option<SignatureHelp> {
        signature_help::help(db, position)
    }

    fn editing(&self) -> Option<&dyn Editing> {
        Some(self)
    }

    fn simulator(&self) -> Option<&'static dyn Simulator> {
        Some(&warplens_ide_lanes::ptx::Ptx)
    }

    fn inlay_hints(
        &self,
        db: &Database,
        file: File,
        item: Item<'_>,
        range: TextRange,
        kinds: InlayHintKinds,
        hints: &mut Vec<InlayHint>,
    ) {
        inlay_hints::add(db, file, item, range, kinds, hints);
    }

    fn links(&self, db: &Database, file: File) -> Vec<DocumentLink> {
        links::links(db, file)
    }

    fn module_symbols(&self, db: &Database, file: File) -> Option<Vec<ModuleSymbol>> {
        Some(module_symbols::declarations(db, file))
    }

    fn links_names(&self) -> bool {
        true
    }

    fn call_item(&self, db: &Database, file: File, _space: Namespace, name: &str) -> Option<CallItem> {
        call_hierarchy::item_of(db, file, name)
    }

    fn file_completions(&self, proposals: &mut Proposals) {
        completion::module(proposals);
    }
}

impl Editing for Ptx {
    fn format_item(
        &self,
        tree: &SyntaxNode,
        text: &str,
        window: TextRange,
        layout: &mut Layout,
        pause: &dyn Fn(),
    ) {
        format::item(tree, text, window, layout, pause);
    }

    fn rename(
        &self,
        db: &Database,
        position: &FilePosition<'_>,
        named: &Named,
        name: &str,
    ) -> Result<Vec<TextEdit>, RenameError> {
        Ok(rename::rename(db, position, named, name)?)
    }

    fn comments(&self) -> Comments {
        Comments::InColumns
    }

    fn misplaced(&self, db: &Database, item: Item<'_>) -> Option<TextRange> {
        format::misplaced(db, item)
    }
}
