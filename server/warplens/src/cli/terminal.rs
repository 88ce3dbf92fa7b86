//! The width of the terminal.

use std::io::{self, IsTerminal};

/// The columns of the terminal that standard output is; `None` for a file or a pipe.
pub(super) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
}
