//! The features of SASS. Listings are read-only, so SASS has no editing.

mod call_hierarchy;
mod explain;
mod folding;
mod hover;
mod inlay_hints;
mod lens;
mod links;
mod symbols;
mod tokens;

use warplens_ide_db::LanguageQueries;
use warplens_ide_db::sass::{constructs, names};

use crate::language::LanguageSupport;

pub(crate) const SASS: LanguageSupport = LanguageSupport {
    queries: LanguageQueries {
        symbols: symbols::symbols,
        folds: folding::add,
        module_uses: names::module_uses,
        named: names::named,
        local_occurrences: names::occurrences,
        local_declarations: names::local_declarations,
        module_declarations: warplens_ide_db::names::declaring_words,
        construct_at: constructs::at,
        check_item: warplens_ide_diagnostics::sass::check_item,
        ..LanguageQueries::EMPTY
    },
    tokens: tokens::tokens,
    hover: hover::hover,
    source_hover: Some(hover::WITH_PTX),
    inlay_hints: inlay_hints::hints,
    explain: explain::explain,
    explained_names: explain::names,
    summaries: lens::summaries,
    links: links::links,
    call_item: call_hierarchy::item_of,
    incoming_calls: call_hierarchy::incoming,
    outgoing_calls: call_hierarchy::outgoing,
    simulator: Some(&warplens_ide_lanes::sass::Sass),
    ..LanguageSupport::new(warplens_syntax::sass::LANGUAGE)
};
