//! The outcome of a command.

use std::fmt::Display;

use super::plain::plain;

/// The outcome of a command, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Success,
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
