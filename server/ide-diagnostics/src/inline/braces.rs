//! `syntax-error`: a scope that a statement opens and never closes, or the other way round. Statements of one function may share
//! a scope: one opens it, another closes it.

use rustc_hash::FxHashMap;
use warplens_host::Statement;
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::text_range;
use crate::codes;

/// The braces of the statements of a file, by function.
pub(super) struct Braces(FxHashMap<usize, OfFunction>);

#[derive(Clone, Copy, Default)]
struct OfFunction {
    /// How many its statements open and do not close.
    depth: i32,
    /// Whether one of its statements opens a scope that it does not close, or the other way round.
    has_unmatched: bool,
    /// Whether the text of one of its statements is not known.
    is_unknown: bool,
}

/// The braces of a template without a counterpart in it, as offsets.
#[derive(Debug, Default)]
pub(super) struct Unmatched {
    pub(super) opened: Vec<usize>,
    pub(super) closed: Vec<usize>,
}

impl Braces {
    pub(super) fn new<'s>(statements: impl Iterator<Item = (&'s Statement, &'s Unmatched)>) -> Braces {
        let mut functions: FxHashMap<usize, OfFunction> = FxHashMap::default();
        for (statement, Unmatched { opened, closed }) in statements {
            let found = functions.entry(statement.place.function).or_default();
            found.depth += opened.len() as i32 - closed.len() as i32;
            found.has_unmatched |= !opened.is_empty() || !closed.is_empty();
            found.is_unknown |= statement.template.holes() > 0;
        }
        Braces(functions)
    }

    /// Whether a statement of the function may open a scope around another one.
    pub(super) fn are_shared(&self, function: usize) -> bool {
        self.0.get(&function).is_some_and(|found| found.has_unmatched || found.is_unknown)
    }

    /// The first brace of a statement that no statement of its function closes or opens.
    pub(super) fn problem(&self, statement: &Statement, unmatched: &Unmatched) -> Option<Diagnostic> {
        let OfFunction { depth, is_unknown, .. } =
            self.0.get(&statement.place.function).copied().unwrap_or_default();
        if depth == 0 || is_unknown || statement.template.holes() > 0 {
            return None;
        }
        let (at, message) = match (depth > 0, unmatched.opened.first(), unmatched.closed.first()) {
            (true, Some(open), _) => (
                *open,
                "this `{` is never closed, so the scope contains the code after the statement; add `}`",
            ),
            (false, _, Some(close)) => (
                *close,
                "this `}` closes no scope of the statement, but one of the code around it; remove it",
            ),
            _ => return None,
        };
        let range = statement.template.to_host(at..at + 1)?;
        Some(Diagnostic::new(text_range(&range), Severity::Error, codes::SYNTAX, message))
    }
}

/// The unmatched braces of a statement's PTX.
pub(super) fn unmatched(statement: &Statement) -> Unmatched {
    let mut found = Unmatched::default();
    for part in parts(statement) {
        let text = match part.kind {
            PartKind::Text => &statement.template.text[part.range.clone()],
            PartKind::Character(text) => text,
            _ => continue,
        };
        let mut comment = false;
        let mut previous = ' ';
        for (at, c) in text.char_indices() {
            comment = match c {
                '\n' => false,
                '/' if previous == '/' => true,
                _ => comment,
            };
            previous = c;
            match c {
                '{' if !comment => found.opened.push(part.range.start + at),
                '}' if !comment && found.opened.pop().is_none() => found.closed.push(part.range.start + at),
                _ => {}
            }
        }
    }
    found
}
