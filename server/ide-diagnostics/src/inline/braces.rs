//! `syntax-error`: a scope that a statement opens and never closes, or the other way round. Statements of one function may share
//! a scope: one opens it, another closes it.

use rustc_hash::FxHashMap;
use warplens_host::Statement;
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::diagnostic;
use crate::codes;

/// The braces of the statements of a file.
pub(super) struct Braces {
    functions: FxHashMap<usize, OfFunction>,
    /// How many all statements open and do not close. Functions and macros may come in pairs, which open and close a scope.
    depth: i32,
}

#[derive(Clone, Copy, Default)]
struct OfFunction {
    /// How many its statements open and do not close.
    depth: i32,
    /// The block of its statements that open a scope and do not close it, or the other way round.
    unmatched: Option<usize>,
    /// Whether the text of one of its statements is not known, or they do not run together.
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
        let mut all = 0;
        for (statement, Unmatched { opened, closed }) in statements {
            let found = functions.entry(statement.place.function).or_default();
            let depth = opened.len() as i32 - closed.len() as i32;
            (found.depth, all) = (found.depth + depth, all + depth);
            if !opened.is_empty() || !closed.is_empty() {
                let block = *found.unmatched.get_or_insert(statement.place.block);
                found.is_unknown |= block != statement.place.block;
            }
            // Another branch of a condition may close the scope.
            let has_branches = statement.readings.as_ref().is_none_or(|readings| !readings.is_empty());
            found.is_unknown |=
                statement.template.holes() > 0 || has_branches || statement.place.is_of_lifetime;
        }
        Braces { functions, depth: all }
    }

    /// Whether a statement of the function may open a scope around another one.
    pub(super) fn are_shared(&self, function: usize) -> bool {
        self.functions.get(&function).is_some_and(|found| found.unmatched.is_some() || found.is_unknown)
    }

    /// The first brace of a statement that no statement of its function closes or opens.
    pub(super) fn problem(&self, statement: &Statement, unmatched: &Unmatched) -> Option<Diagnostic> {
        let OfFunction { depth, is_unknown, .. } =
            self.functions.get(&statement.place.function).copied().unwrap_or_default();
        if depth.signum() * self.depth.signum() <= 0 || is_unknown || statement.template.holes() > 0 {
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
        Some(diagnostic(&range, Severity::Error, codes::SYNTAX, message))
    }
}

/// The unmatched braces of a statement's PTX.
pub(super) fn unmatched(statement: &Statement) -> Unmatched {
    let mut found = Unmatched::default();
    let comments = statement.template.comments();
    let is_code = |at: &usize| !comments.iter().any(|comment| comment.range.contains(at));
    for part in parts(statement) {
        let text = match part.kind {
            PartKind::Text => &statement.template.text[part.range.clone()],
            PartKind::Character(text) => text,
            _ => continue,
        };
        let braces = text.match_indices(['{', '}']).map(|(at, brace)| (part.range.start + at, brace));
        for (at, brace) in braces.filter(|(at, _)| is_code(at)) {
            if brace == "{" {
                found.opened.push(at);
            } else if found.opened.pop().is_none() {
                found.closed.push(at);
            }
        }
    }
    found
}
