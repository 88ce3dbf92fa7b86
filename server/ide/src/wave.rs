//! WAVE: its implementation of the seam of languages.

mod call_hierarchy;
mod completion;
mod explain;
mod folding;
mod format;
mod hover;
mod rename;
mod selection;
mod signature_help;
mod symbols;
mod tokens;

use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::{Diagnostic, Fold, Occurrence, SemanticToken, Symbol, Target, TextEdit};
use warplens_ide_db::construct::Construct;
use warplens_ide_db::db::{Database, Db, File, FilePosition, Item, LanguageQueries};
use warplens_ide_db::names::{ModuleUse, Named, Namespace, Subject};
use warplens_ide_db::problem::Problem;
use warplens_ide_db::wave as db_side;
use warplens_ide_diagnostics::wave as checks;
use warplens_ide_diagnostics::wave::dialect::{self, Dialect, Rewritten};
use warplens_ide_lanes::Simulator;
use warplens_syntax::{Language, SyntaxNode};

use crate::call_item::{CallItem, Calls};
use crate::format::layout::{Comments, Layout};
use crate::language::{Editing, LanguageSupport};
use crate::proposals::Proposals;
use crate::rename_error::RenameError;
use crate::signature::SignatureHelp;

/// WAVE.
pub(crate) struct Wave;

impl LanguageQueries for Wave {
    fn info(&self) -> Language {
        warplens_syntax::wave::LANGUAGE
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
        checks::check_file(db, file)
    }

    fn module_declarations(&self, db: &Database, file: File, space: Namespace, name: &str) -> Vec<Target> {
        db_side::names::file_declarations(db, file, space, name)
    }

    fn construct_at(&self, db: &Database, position: &FilePosition<'_>) -> Option<Construct> {
        db_side::constructs::at(db, position)
    }

    fn folds<'db>(&self, db: &'db dyn Db, item: Item<'db>, folds: &mut Vec<Fold>) {
        folding::add(&db_side::lowered::wave_code(db, item), &item.text(db).0, folds);
    }
}

impl LanguageSupport for Wave {
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
        Some(&warplens_ide_lanes::wave::Wave)
    }

    fn selection(&self, db: &Database, position: &FilePosition<'_>, ranges: &mut Vec<TextRange>) {
        selection::add(&db_side::lowered::wave_code(db, position.item), &position.item.text(db).0, ranges);
    }

    fn call_item(&self, db: &Database, file: File, space: Namespace, name: &str) -> Option<CallItem> {
        call_hierarchy::item_of(db, file, space, name)
    }

    fn file_completions(&self, proposals: &mut Proposals) {
        completion::in_empty_file(proposals);
    }
}

impl Editing for Wave {
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
        Comments::WithCode
    }

    fn word_typed(&self, db: &Database, file: File, text: &str, offset: TextSize) -> Option<TextEdit> {
        format::typed::closed(db, file, text, offset)
    }

    fn line_begun(
        &self,
        db: &Database,
        file: File,
        text: &str,
        between: (TextSize, TextSize),
    ) -> Option<TextEdit> {
        format::typed::begun(db, file, text, between)
    }

    fn renames_undeclared(&self) -> bool {
        true
    }

    fn rewrite(&self, db: &Database, file: File, dialect: Dialect) -> Rewritten {
        dialect::rewrite_in_dialect(db, file, dialect)
    }
}
