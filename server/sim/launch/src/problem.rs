//! What is wrong with a launch, and where it is written.

use std::fmt;
use std::ops::Range;

/// Byte range in the text that a launch was read from.
pub type Span = Range<usize>;

/// One error in a launch: a sentence with the cause and the fix, and its span in the launch's own
/// text (`None` for launches that have no text, such as those of the command line).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, in the text of the launch file or of the source that holds the comment.
    pub at: Option<Span>,
    /// One sentence.
    pub message: String,
    /// The text that should be there instead, if it is known.
    pub replacement: Option<String>,
}

impl Problem {
    /// An error at a span.
    pub fn at(span: Span, message: impl Into<String>) -> Problem {
        Problem { at: Some(span), message: message.into(), replacement: None }
    }

    /// An error without a span.
    pub fn anywhere(message: impl Into<String>) -> Problem {
        Problem { at: None, message: message.into(), replacement: None }
    }

    /// The same error, with its span moved by `offset` bytes: for launches embedded in another text.
    pub(crate) fn moved(mut self, offset: usize) -> Problem {
        self.at = self.at.map(|span| span.start + offset..span.end + offset);
        self
    }

    /// `line:column` (both from one, columns in characters) of the error in `text`.
    pub fn line_column(&self, text: &str) -> Option<(usize, usize)> {
        let at = self.at.as_ref()?.start.min(text.len());
        let before = text.get(..at)?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}

/// The starts of the lines of a text, for the positions of many problems.
#[derive(Debug)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Those of a text.
    pub fn new(text: &str) -> LineStarts {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// As [`Problem::line_column`].
    pub fn line_column(&self, problem: &Problem, text: &str) -> Option<(usize, usize)> {
        let at = problem.at.as_ref()?.start.min(text.len());
        let line = self.0.partition_point(|start| *start <= at);
        Some((line, text.get(*self.0.get(line.checked_sub(1)?)?..at)?.chars().count() + 1))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let text = "a = 1\nü = 2\n";
        assert_eq!(Problem::at(0..1, "").line_column(text), Some((1, 1)));
        assert_eq!(Problem::at(9..10, "").line_column(text), Some((2, 3)));
        assert_eq!(Problem::at(900..901, "").line_column(text), Some((3, 1)));
        assert_eq!(Problem::anywhere("").line_column(text), None);
        let starts = LineStarts::new(text);
        for at in [0, 1, 6, 9, 12, 900] {
            let problem = Problem::at(at..at, "");
            assert_eq!(starts.line_column(&problem, text), problem.line_column(text), "{at}");
        }
    }
}
