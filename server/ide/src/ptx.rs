//! The features of PTX.

mod call_hierarchy;
mod completion;
mod contraction;
mod explain;
mod format;
mod hover;
mod inlay_hints;
mod links;
mod module_symbols;
mod reduce;
mod rename;
mod signature_help;
mod symbols;
mod tokens;

use warplens_ide_db::LanguageQueries;
use warplens_ide_db::ptx::{names, target_ranges};
use warplens_ide_diagnostics::ptx as diagnostics;

use crate::format::layout::Comments;
use crate::language::{Editing, LanguageSupport};

pub(crate) const PTX: LanguageSupport = LanguageSupport {
    queries: LanguageQueries {
        symbols: symbols::symbols,
        module_uses: names::module_uses,
        named: names::named,
        local_occurrences: names::occurrences,
        local_declarations: |position| names::local_declaration(position).into_iter().collect(),
        module_declarations: names::module_declarations,
        check_item: diagnostics::check_item,
        check_module: diagnostics::check_module,
        lints: diagnostics::check_lints,
        target_ranges,
        ..LanguageQueries::EMPTY
    },
    tokens: tokens::tokens,
    hover: hover::hover,
    explain: explain::explain,
    explained_names: || explain::names().collect(),
    explain_descriptor: explain::descriptor,
    inlay_hints: inlay_hints::add,
    sources: links::sources,
    links: links::links,
    module_symbols: Some(module_symbols::declarations),
    links_names: true,
    call_item: |db, file, _, name| call_hierarchy::item_of(db, file, name),
    incoming_calls: call_hierarchy::incoming,
    outgoing_calls: call_hierarchy::outgoing,
    completions: completion::proposals,
    file_completions: completion::module,
    signature_help: signature_help::help,
    editing: Some(Editing {
        misplaced: format::misplaced,
        reducible: Some(reduce::reducible),
        ..Editing::new(Comments::InColumns, format::style, rename::rename)
    }),
    simulator: Some(&warplens_ide_lanes::ptx::Ptx),
    contractions: contraction::contractions,
    ..LanguageSupport::new(warplens_syntax::ptx::LANGUAGE)
};
