//! `conflicting-directives`: directives that are mutually exclusive, or a directive without another that it requires.

use text_size::TextRange;
use warplens_hir::ptx::{Directive as ModuleDirective, PerformanceDirective};
use warplens_ide_db::ptx::{ModuleTarget, ptx_header};
use warplens_ide_db::{Database, File, Item, ItemFix, Problem, items};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Directive, MissingRequirement};
use warplens_syntax::ItemKind;

use crate::codes;
use crate::ptx::directive_list::{List, word};

/// The first target with hardware support for `.f64`.
const WITH_F64: u16 = 13;

/// A directive that excludes another one, or a result, or that requires one that is missing.
pub(super) fn on_function(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
    index: usize,
) -> Option<Problem> {
    if written.name == "noreturn" && !list.signature.returns.is_empty() {
        let message = "a `.noreturn` function cannot have a result; remove `.noreturn` or the result";
        let fix = ItemFix::new("Remove `.noreturn`").delete(written.range);
        return Some(Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message).with_fix(fix));
    }
    let before = &list.signature.directives[..index];
    let other = before
        .iter()
        .find(|other| known.conflicts.iter().any(|name| name.strip_prefix('.') == Some(other.name.as_str())));
    if let Some(other) = other {
        let message =
            format!("`{}` and `.{}` are mutually exclusive; remove one of them", known.name, other.name);
        let fix = ItemFix::new(format!("Remove `{}`", known.name)).delete(written.range);
        let problem = Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message);
        return Some(problem.with_related(word(other), "the other directive").with_fix(fix));
    }
    let missing =
        list.missing(known).filter(|_| known.missing_requirement == MissingRequirement::Rejected)?;
    let message = format!("`{}` also needs `{missing}`", known.name);
    Some(Problem::error(word(written), codes::CONFLICTING_DIRECTIVES, message))
}

pub(super) fn texture_modes(range: TextRange, word: &str, other: &str) -> Problem {
    let message = format!("`{word}` and `{other}` are mutually exclusive; remove one");
    Problem::error(range, codes::CONFLICTING_DIRECTIVES, message)
}

pub(super) fn debug(db: &Database, file: File, range: TextRange) -> Option<Problem> {
    let is_section = |item: &Item<'_>| {
        item.kind(db) == ItemKind::Directive
            && matches!(&ptx_header(db, *item).directive, Some(ModuleDirective::Other(word)) if word == "section")
    };
    let message = "`debug` requires debug information, but the module has no `.section`; remove the option or add a section";
    let has_section = items(db, file).iter().any(is_section);
    (!has_section).then(|| Problem::error(range, codes::CONFLICTING_DIRECTIVES, message))
}

/// `map_f64_to_f32` for a target with `.f64`.
pub(super) fn without_f64(module: &ModuleTarget, range: TextRange) -> Option<Problem> {
    let target = module.architecture.as_deref().and_then(isa::target)?;
    let message = format!("`map_f64_to_f32` is for targets without `.f64` only; {} has it", target.name);
    (target.number >= WITH_F64).then(|| Problem::error(range, codes::CONFLICTING_DIRECTIVES, message))
}
