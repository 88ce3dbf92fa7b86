//! The outcome of a command.

use std::fmt::Display;

use warplens_ide::lanes::Verdict;

use super::plain::plain;

/// The outcome of a command, which determines the exit code. Of several, the greatest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Success,
    /// Evidence is missing: a run reached a limit, or was not checked.
    Incomplete,
    /// The input has errors.
    Errors,
    /// Invalid arguments, or unreadable input.
    Unusable,
}

impl Outcome {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Success => 0,
            Outcome::Errors => 1,
            Outcome::Unusable => 2,
            Outcome::Incomplete => 3,
        }
    }

    pub(crate) fn of(verdict: &Verdict) -> Outcome {
        match verdict {
            _ if verdict.has_findings() => Outcome::Errors,
            _ if verdict.is_incomplete() => Outcome::Incomplete,
            _ => Outcome::Success,
        }
    }
}

/// The outcome of a command whose input cannot be used, which a message explains.
pub(crate) fn unusable(message: impl Display) -> Outcome {
    print_message(message);
    Outcome::Unusable
}

/// Prints a message to standard error.
pub(crate) fn print_message(message: impl Display) {
    use std::io::Write;
    // If standard error is closed, there is no way to show the message.
    let _ = writeln!(anstream::stderr(), "warplens: {}", plain(&message.to_string()));
}
