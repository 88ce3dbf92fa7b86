//! `removed-directive`: a directive that was removed from newer versions of PTX.

use text_size::TextRange;
use warplens_hir::ptx::PerformanceDirective;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::Directive;

use crate::codes;
use crate::ptx::directive_list::{List, word};

/// A directive that is removed in the module's version; `instead` says what to write.
pub(super) fn check(name: &str, instead: &str, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let until = isa::directive(name)?.until?;
    let message = format!("`{name}` was removed in PTX {until}; {instead}");
    (module.version? >= until).then(|| Problem::error(range, codes::REMOVED_DIRECTIVE, message))
}

pub(super) fn on_function(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
) -> Option<Problem> {
    let problem = check(known.name, "use `.minnctapersm`", word(written), list.module)?;
    Some(problem.with_fix(ItemFix::replacement(word(written), ".minnctapersm").preferred()))
}
