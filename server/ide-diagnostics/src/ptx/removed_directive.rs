//! `removed-directive`: a directive that was removed from newer versions of PTX.

use text_size::TextRange;
use warplens_hir::ptx::PerformanceDirective;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::Directive;

use crate::codes;
use crate::ptx::directive_list::{List, word};

/// A directive between the parameters and the body.
pub(super) fn on_function(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
) -> Option<Problem> {
    let until = known.until?;
    if list.module.version? < until {
        return None;
    }
    let message = format!("`{}` was removed in PTX {until}; use `.minnctapersm`", known.name);
    let fix = ItemFix::replacement(word(written), ".minnctapersm").preferred();
    Some(Problem::error(word(written), codes::REMOVED_DIRECTIVE, message).with_fix(fix))
}

/// `.section` replaced `@@DWARF` lines.
pub(super) fn dwarf(range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let until = isa::directive("@@DWARF")?.until?;
    let message = format!("`@@DWARF` was removed in PTX {until}; use `.section`");
    (module.version? >= until).then(|| Problem::error(range, codes::REMOVED_DIRECTIVE, message))
}

/// `.texref` replaced the state space `.tex`.
pub(super) fn tex(range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let until = isa::directive(".tex")?.until?;
    let message = format!("`.tex` was removed in PTX {until}; declare `.global .texref`");
    (module.version? >= until).then(|| Problem::error(range, codes::REMOVED_DIRECTIVE, message))
}
