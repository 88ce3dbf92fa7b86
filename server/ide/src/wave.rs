//! The features of WAVE.

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

use warplens_ide_db::LanguageQueries;
use warplens_ide_db::wave::{constructs, names};
use warplens_ide_diagnostics::wave as diagnostics;

use crate::format::layout::Comments;
use crate::language::{Editing, LanguageSupport};

pub(crate) const WAVE: LanguageSupport = LanguageSupport {
    queries: LanguageQueries {
        symbols: symbols::symbols,
        folds: folding::add,
        module_uses: names::module_uses,
        named: names::named,
        local_occurrences: names::occurrences,
        local_declarations: |position| names::local_declaration(position).into_iter().collect(),
        module_declarations: warplens_ide_db::names::declaring_words,
        construct_at: constructs::at,
        check_item: diagnostics::check_item,
        check_module: diagnostics::check_module,
        lints: diagnostics::check_lints,
        ..LanguageQueries::EMPTY
    },
    tokens: tokens::tokens,
    hover: hover::hover,
    explain: explain::explain,
    explained_names: || explain::names().collect(),
    selection: selection::add,
    call_item: call_hierarchy::item_of,
    incoming_calls: call_hierarchy::incoming,
    outgoing_calls: call_hierarchy::outgoing,
    completions: completion::proposals,
    file_completions: completion::in_empty_file,
    signature_help: signature_help::help,
    editing: Some(Editing {
        word_typed: format::typed::closed,
        line_begun: format::typed::begun,
        renames_undeclared: true,
        rewrite: diagnostics::dialect::rewrite_in_dialect,
        ..Editing::new(Comments::WithCode, format::style, rename::rename)
    }),
    simulator: Some(&warplens_ide_lanes::wave::Wave),
    ..LanguageSupport::new(warplens_syntax::wave::LANGUAGE)
};
