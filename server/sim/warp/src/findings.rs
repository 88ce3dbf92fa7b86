//! Findings about one warp.

use crate::finding_kind::FindingKind;
use crate::ids::{Mask, StatementId, WarpId};
use crate::record::Recorder;
use crate::trace::{Finding, Related, Severity};

impl WarpId {
    pub fn finding(
        self,
        kind: FindingKind,
        message: String,
        statement: u32,
        lanes: impl Into<Mask>,
    ) -> Finding {
        Finding {
            statement: Some(StatementId(statement)),
            cta: self.cta,
            warp: self.warp,
            lanes: lanes.into(),
            ..Finding::about_launch(kind, message)
        }
    }
}

impl Finding {
    /// The finding with a severity other than the usual one of its kind.
    pub fn with_severity(self, severity: Severity) -> Finding {
        Finding { severity, ..self }
    }

    /// Dates the finding to the last recorded visit of its statement.
    pub fn in_visit(mut self, recorder: &Recorder) -> Finding {
        self.visit = self.statement.map(|statement| recorder.visits_of(statement));
        self
    }

    pub fn with(mut self, related: impl IntoIterator<Item = Related>) -> Finding {
        self.related.extend(related);
        self
    }
}

impl Related {
    pub fn new(statement: u32, message: impl Into<String>) -> Related {
        Related { statement: StatementId(statement), message: message.into() }
    }
}

/// How long the first line of a message should be at most, in characters.
pub(crate) const MAX_TITLE: usize = 80;
/// Maximum length of a term, in characters.
const MAX_TERM: usize = 40;
/// Minimum length, in characters and without the term, of a first line cut from a longer one.
const MIN_TITLE: usize = 4;

/// Gives every message a short first line that starts with the term, because many editors show only that line.
pub fn with_titles(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        finding.message = with_title(&finding.kind.with_term(&finding.message));
    }
    findings
}

/// Breaks a first line of more than [`MAX_TITLE`] characters after the last clause that fits, or else after its first clause. A phrase
/// stays whole.
fn with_title(message: &str) -> String {
    let title = message.lines().next().unwrap_or_default();
    let Some((limit, _)) = title.char_indices().nth(MAX_TITLE) else { return message.to_owned() };
    let term = title.find(": ").filter(|end| *end <= MAX_TERM).map_or(0, |end| end + ": ".len());
    let breaks = |separator: &'static str| {
        let after = title.match_indices(separator).map(|(at, _)| (at, at + separator.len()));
        after.filter(move |(at, next)| {
            *at >= term + MIN_TITLE && (separator != ", " || starts_clause(&title[*next..]))
        })
    };
    let separators = ["; ", ". ", ": ", ", "];
    let fits = |separator: &&'static str| breaks(separator).filter(|(at, _)| *at <= limit).last();
    let first = || separators.into_iter().flat_map(breaks).min();
    match separators.iter().find_map(fits).or_else(first) {
        Some((end, next)) => format!("{}\n{}", &message[..end], &message[next..]),
        None => message.to_owned(),
    }
}

/// Whether a text after a comma is a clause, and no further part of an enumeration.
fn starts_clause(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    matches!(
        word,
        "which"
            | "where"
            | "so"
            | "but"
            | "and"
            | "or"
            | "before"
            | "after"
            | "because"
            | "while"
            | "as"
            | "then"
            | "although"
    )
}

#[cfg(test)]
mod tests {
    use super::with_title;

    #[test]
    fn a_long_first_line_ends_at_a_clause() {
        let check = |message: &str, expected: &str| assert_eq!(with_title(message), expected);
        check("short; and\nmore", "short; and\nmore");
        let long = "x".repeat(60);
        check(
            &format!("{long}; fix it, or not, and so on; more"),
            &format!("{long}\nfix it, or not, and so on; more"),
        );
        check(
            &format!("{long}, which is long: really, it is"),
            &format!("{long}, which is long\nreally, it is"),
        );
        check(&format!("Deadlock: {long}, which waits"), &format!("Deadlock: {long}\nwhich waits"));
        check(&format!("{long} and {long}; fix it"), &format!("{long} and {long}\nfix it"));
        for whole in
            [format!("{long} and {long}"), format!("lane 0, column 0 of {long} {long}"), "é".repeat(90)]
        {
            check(&whole, &whole);
        }
    }
}
