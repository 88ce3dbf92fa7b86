//! Errors in launches, and where they are.

use std::fmt;
use std::ops::Range;

/// A byte range in the text from which a launch was read.
pub type Span = Range<usize>;

/// An error in a launch: a sentence with the cause and the fix, and its span in the launch's own text (`None` for
/// launches without a text, such as those on the command line).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The byte range in the launch file, or in the source that contains the comment.
    pub at: Option<Span>,
    /// One sentence.
    pub message: String,
    /// The text that should replace the span, if it is known.
    pub replacement: Option<String>,
}

impl Problem {
    pub fn at(span: Span, message: impl Into<String>) -> Problem {
        Problem { at: Some(span), message: message.into(), replacement: None }
    }

    pub fn anywhere(message: impl Into<String>) -> Problem {
        Problem { at: None, message: message.into(), replacement: None }
    }

    /// The same error with its span moved by `offset` bytes, for launches embedded in another text.
    pub(crate) fn moved(mut self, offset: usize) -> Problem {
        self.at = self.at.map(|span| span.start + offset..span.end + offset);
        self
    }

    /// `line:column` of the error in `text`; both count from one, columns in characters.
    pub fn line_column(&self, text: &str) -> Option<(usize, usize)> {
        LineStarts::new(text).line_column(self, text)
    }
}

/// The start of each line of a text, to locate many problems.
#[derive(Debug)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Finds the line starts of `text`.
    pub fn new(text: &str) -> LineStarts {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Like [`Problem::line_column`], but does not scan the text from its start.
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
