//! Standard output: its width, and its colours.

use std::io::{self, BufWriter, IsTerminal, Write};

/// The columns of the terminal that standard output is; `None` for a file or a pipe.
pub(super) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
}

/// Standard output for text with colours, which are removed where they are not shown.
pub(super) fn colored() -> Box<dyn Write> {
    Box::new(anstream::stdout().lock())
}

/// Standard output for data: the bytes as they are written, in large pieces.
pub(super) fn exact() -> Box<dyn Write> {
    Box::new(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
}
