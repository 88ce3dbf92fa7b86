//! Standard output: width and colours.

use std::io::{self, BufWriter, IsTerminal, Write};

/// The width of the terminal in columns; `None` if standard output is a file or a pipe.
pub(super) fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
}

/// Whether standard output shows block characters: a terminal whose text is UTF-8.
pub(super) fn shows_blocks() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let is_utf_8 = locale.is_some_and(|locale| locale.to_uppercase().replace('-', "").ends_with("UTF8"));
    io::stdout().is_terminal() && (is_utf_8 || std::env::var_os("WT_SESSION").is_some())
}

/// Whether standard output shows colours.
pub(super) fn has_colors() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Standard output for text with colours, which are removed unless it is a terminal that shows them.
pub(super) fn colored() -> Box<dyn Write> {
    Box::new(anstream::stdout().lock())
}

/// Standard output for data, without changes and with a large buffer.
pub(super) fn exact() -> Box<dyn Write> {
    Box::new(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
}
