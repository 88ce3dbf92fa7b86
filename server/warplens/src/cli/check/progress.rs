//! The progress of `check` over many files, on a terminal.

use std::io::{self, IsTerminal, Write};

/// The width of the bar.
const WIDTH: usize = 30;

/// A progress bar on standard error; hidden without a terminal and for a single file.
pub(super) struct Progress {
    files: usize,
    done: usize,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(files: usize) -> Progress {
        let progress = Progress { files, done: 0, is_shown: files > 1 && io::stderr().is_terminal() };
        progress.draw();
        progress
    }

    /// Counts a file, whose output `write` prints where the bar was.
    pub(super) fn file(&mut self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.clear();
        write()?;
        self.done += 1;
        self.draw();
        Ok(())
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.print("\r\x1b[K");
    }

    fn draw(&self) {
        let filled = WIDTH * self.done / self.files.max(1);
        let (filled, empty) = ("█".repeat(filled), "░".repeat(WIDTH - filled));
        self.print(&format!("{filled}{empty} {}/{} files", self.done, self.files));
    }

    fn print(&self, text: &str) {
        if self.is_shown {
            let mut err = io::stderr().lock();
            let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
        }
    }
}
