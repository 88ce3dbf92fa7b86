//! Why a launch cannot be run.

use std::fmt;

use warplens_sim_launch as launch;

/// Why a launch cannot be run: one sentence, with the position of the mistake if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchProblem {
    /// The launch file; `None` if it is the document itself, or no text at all.
    pub path: Option<String>,
    /// Line and column, from one.
    pub place: Option<(usize, usize)>,
    pub message: String,
}

impl LaunchProblem {
    /// A problem without a position.
    pub fn new(message: impl Into<String>) -> LaunchProblem {
        LaunchProblem { path: None, place: None, message: message.into() }
    }

    /// A problem in a text: the launch file at `path`, or the document.
    pub(crate) fn in_text(problem: &launch::Problem, path: Option<&str>, text: &str) -> LaunchProblem {
        let place = problem.line_column(text);
        LaunchProblem { path: path.map(str::to_owned), place, message: problem.message.clone() }
    }

    /// The problem with the path of the document, for output that does not show the document.
    #[must_use]
    pub fn in_path(self, path: &str) -> LaunchProblem {
        LaunchProblem { path: self.path.or_else(|| Some(path.to_owned())), ..self }
    }
}

impl fmt::Display for LaunchProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.place) {
            (Some(path), Some((line, column))) => write!(f, "{path}:{line}:{column}: ")?,
            (Some(path), None) => write!(f, "{path}: ")?,
            (None, Some((line, column))) => write!(f, "line {line}, column {column}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for LaunchProblem {}
