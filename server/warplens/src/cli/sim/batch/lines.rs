//! The lines of a batch.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use crate::cli::input::STANDARD_INPUT;
use warplens_system::disk::read_file::open_named;

/// The limit of a line in bytes. A launch needs many times the size of its text in memory.
const MAX_BYTES: u64 = 16 << 20;

/// The limit of the rest of a longer line, which is skipped.
const MAX_SKIPPED: u64 = 1 << 30;

/// A batch that is read line by line.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    next: u64,
}

/// A line that is not blank.
pub(super) struct Line {
    /// The number of the line, from zero. Blank lines count.
    pub(super) index: u64,
    pub(super) text: Result<String, UnusableLine>,
}

/// A line has no usable text.
#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum UnusableLine {
    #[error("the line has more than {} MB, the limit of a launch", MAX_BYTES >> 20)]
    TooLong,
    #[error("the line is not UTF-8: invalid byte at offset {0}")]
    NotUtf8(usize),
}

impl Lines {
    /// Opens the file at `path`, or standard input for `-`, and reads its beginning: a folder can be opened, but not read.
    pub(super) fn open(path: &Path) -> io::Result<Lines> {
        let mut reader: Box<dyn BufRead + Send> = match path.as_os_str() == STANDARD_INPUT {
            true => Box::new(BufReader::new(io::stdin())),
            false => Box::new(BufReader::new(open_named(path)?)),
        };
        reader.fill_buf()?;
        Ok(Lines::new(reader))
    }

    fn new(reader: Box<dyn BufRead + Send>) -> Lines {
        Lines { reader, next: 0 }
    }

    /// The next line that is not blank; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            if self.reader.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            let index = self.next;
            self.next += 1;
            if bytes.len() as u64 > MAX_BYTES {
                if bytes.last() != Some(&b'\n')
                    && self.reader.by_ref().take(MAX_SKIPPED).skip_until(b'\n')? as u64 == MAX_SKIPPED
                {
                    // A device may never end.
                    return Err(io::Error::other(format!("line {} does not end", index + 1)));
                }
                return Ok(Some(Line { index, text: Err(UnusableLine::TooLong) }));
            }
            if !bytes.trim_ascii().is_empty() {
                let text = String::from_utf8(bytes);
                let text = text.map_err(|error| UnusableLine::NotUtf8(error.utf8_error().valid_up_to()));
                return Ok(Some(Line { index, text }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: Vec<u8>) -> Vec<(u64, Result<String, UnusableLine>)> {
        let mut lines = Lines::new(Box::new(io::Cursor::new(bytes)));
        std::iter::from_fn(|| lines.next().unwrap()).map(|line| (line.index, line.text)).collect()
    }

    #[test]
    fn lines_of_spaces_count() {
        let found = lines(b"a\n\n \r\nb\r\nc".to_vec());
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(found, [(0, text("a\n")), (3, text("b\r\n")), (4, text("c"))]);
    }

    #[test]
    fn lines_without_usable_text() {
        let mut bytes = vec![b'x'; MAX_BYTES as usize + 10];
        bytes.extend(b"\na\xff\nb");
        let found = lines(bytes);
        let expected =
            [(0, Err(UnusableLine::TooLong)), (1, Err(UnusableLine::NotUtf8(1))), (2, Ok("b".to_owned()))];
        assert_eq!(found, expected);
    }
}
