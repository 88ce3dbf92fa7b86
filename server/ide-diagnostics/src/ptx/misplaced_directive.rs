//! `misplaced-directive`: a directive where it is not allowed.

use text_size::TextRange;
use warplens_hir::ptx::PerformanceDirective;
use warplens_ide_db::{ItemFix, Problem, any_of};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Directive, Holder, Pragma, PragmaScope};
use warplens_syntax::Token;

use crate::codes;
use crate::ptx::directive_list::{List, word};
use crate::ptx::prologue_state::{Part, Prologue};

fn error(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::MISPLACED_DIRECTIVE, message)
}

/// `.version` must come first, and only once.
pub(super) fn version(prologue: &Prologue<'_>, range: TextRange) -> Option<Problem> {
    if prologue.had_version {
        return Some(error(range, "duplicate `.version`; remove this one"));
    }
    (prologue.seen > 0).then(|| error(range, "`.version` must be the first directive of a module"))
}

pub(super) fn target(prologue: &Prologue<'_>, range: TextRange) -> Option<Problem> {
    if matches!(prologue.last, Part::Version | Part::Target) {
        return None;
    }
    if prologue.had_target {
        return Some(error(range, "duplicate `.target`; remove this one"));
    }
    prologue.had_version.then(|| error(range, "`.target` must directly follow `.version`"))
}

pub(super) fn address_size(prologue: &Prologue<'_>, range: TextRange) -> Option<Problem> {
    if prologue.had_size {
        return Some(error(range, "duplicate `.address_size`; remove this one"));
    }
    let is_early_or_late = prologue.last != Part::Target
        && (prologue.had_target || !prologue.has_target)
        && prologue.had_version;
    is_early_or_late.then(|| error(range, "`.address_size` must directly follow `.target`"))
}

/// A known directive between items or statements that belongs elsewhere.
pub(super) fn elsewhere(word: Token<'_>) -> Problem {
    let name = word.text;
    if matches!(name, ".branchtargets" | ".calltargets" | ".callprototype") {
        return error(word.range(), format!("`{name}` needs a label before it, such as `table: {name}`"));
    }
    let places = isa::directive(name).map(|known| known.places.join(", or ")).unwrap_or_default();
    error(word.range(), format!("`{name}` is not allowed here; its place: {places}"))
}

/// A directive of modules in a function.
pub(super) fn inside(word: Option<Token<'_>>) -> Option<Problem> {
    let word = word?;
    Some(error(word.range(), format!("`{}` is allowed only outside of functions", word.text)))
}

/// A directive of functions outside of one.
pub(super) fn outside(word: Option<Token<'_>>) -> Option<Problem> {
    let word = word?;
    Some(error(word.range(), format!("`{}` is allowed only in the bodies of functions", word.text)))
}

/// A directive between the parameters and the body: on the wrong kind of function, repeated, or after one that it must
/// precede.
pub(super) fn on_function(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
    index: usize,
) -> Option<Problem> {
    let error = |message: String| error(word(written), message);
    let remove = || ItemFix::new(format!("Remove `{}`", known.name)).delete(written.range);
    if !known.holders.contains(&list.holder) {
        let here = holder_words(list.holder);
        let message = match holders_words(known.holders) {
            Some(right) => format!("`{}` is not allowed on {here}; it is allowed on {right}", known.name),
            None => format!("`{}` is not allowed between the parameters and the body", known.name),
        };
        return Some(error(message).with_fix(remove()));
    }
    if list.holder == Holder::Entry {
        return None;
    }
    // The directives of a function have a fixed order and are not repeated.
    let before = &list.signature.directives[..index];
    if before.iter().any(|other| other.name == written.name) {
        return Some(error(format!("duplicate `{}`; remove one", known.name)).with_fix(remove()));
    }
    let early = before.iter().find(|other| rank(&written.name) < rank(&other.name))?;
    Some(error(format!("`{}` must precede `.{}`", known.name, early.name)))
}

/// The first directive, `range`, of a declaration that cannot have any.
pub(super) fn without_body(range: TextRange) -> Problem {
    error(range, "directives are not allowed on a declaration without a body; write them on the definition")
}

/// The position of a directive among those of a function.
fn rank(name: &str) -> u8 {
    match name {
        "noreturn" => 0,
        "language" => 2,
        _ => 1,
    }
}

fn holder_words(holder: Holder) -> &'static str {
    match holder {
        Holder::Entry => "a kernel",
        Holder::Func => "a function",
        Holder::Prototype => "a `.callprototype`",
    }
}

fn holders_words(holders: &[Holder]) -> Option<String> {
    let list: Vec<&str> = holders
        .iter()
        .map(|holder| match holder {
            Holder::Entry => "kernels",
            Holder::Func => "functions",
            Holder::Prototype => "`.callprototype`",
        })
        .collect();
    (!list.is_empty()).then(|| list.join(" and "))
}

/// A `.pragma` between the parameters and the body of a function that is not a kernel.
pub(super) fn pragma_of_function(word: Option<Token<'_>>) -> Option<Problem> {
    let message = "`.pragma` is allowed before the body of a kernel only; write it in the body";
    Some(error(word?.range(), message))
}

/// A pragma in a part of the module where it is not allowed.
pub(super) fn pragma(range: TextRange, known: &Pragma, scope: PragmaScope) -> Option<Problem> {
    if known.scopes.contains(&scope) {
        return None;
    }
    let places = any_of(known.scopes.iter().map(|scope| words(*scope)));
    let message = format!("`{}` is not allowed {}; it is allowed {places}", known.name, words(scope));
    Some(error(range, message))
}

fn words(scope: PragmaScope) -> &'static str {
    match scope {
        PragmaScope::Module => "at module scope",
        PragmaScope::Entry => "before the body of a kernel",
        PragmaScope::Kernel => "in the body of a kernel",
        PragmaScope::Function => "in the body of a function",
    }
}
