//! `--resume`: the launches of a batch that already have results.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use rustc_hash::FxHashSet;
use serde::Deserialize;
use warplens_sim_launch::BatchId;

use warplens_system::disk::read_file::{self, FileError};

/// The limit of a line in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The launches that have a result, by their `id`, or if they have none, by their line.
#[derive(Debug, Default)]
pub(super) struct EarlierResults {
    ids: FxHashSet<BatchId>,
    lines: FxHashSet<u64>,
    /// The number of results of launches that did not pass.
    pub(super) failed: u64,
    /// Whether the last line is incomplete.
    pub(super) is_cut: bool,
}

/// The keys of a result that are needed here.
#[derive(Deserialize)]
struct EarlierResult {
    index: u64,
    id: Option<BatchId>,
    ok: bool,
}

impl EarlierResults {
    /// Reads the results at `path`. Lines that are not results are skipped, such as an incomplete last line of a stopped process.
    pub(super) fn read(path: &Path) -> Result<EarlierResults, FileError> {
        Ok(EarlierResults::of(&mut BufReader::new(read_file::open(path)?))?)
    }

    fn of(reader: &mut dyn BufRead) -> io::Result<EarlierResults> {
        let mut earlier = EarlierResults::default();
        let mut line = Vec::new();
        // A longer line is read in parts, none of which is a result, so its launch runs again.
        while (&mut *reader).take(MAX_BYTES).read_until(b'\n', &mut line)? != 0 {
            earlier.is_cut = line.last() != Some(&b'\n');
            if let Ok(result) = serde_json::from_slice::<EarlierResult>(&line) {
                earlier.add(result);
            }
            line.clear();
        }
        Ok(earlier)
    }

    fn add(&mut self, EarlierResult { index, id, ok }: EarlierResult) {
        let is_new = match id {
            Some(id) => self.ids.insert(id),
            None => self.lines.insert(index),
        };
        self.failed += u64::from(is_new && !ok);
    }

    pub(super) fn count(&self) -> u64 {
        (self.ids.len() + self.lines.len()) as u64
    }

    /// Whether a launch has a result.
    pub(super) fn has(&self, index: u64, id: Option<&BatchId>) -> bool {
        match id {
            Some(id) => self.ids.contains(id),
            None => self.lines.contains(&index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_a_process_that_was_stopped() {
        let text = concat!(
            r#"{"index":0,"id":null,"ok":true,"status":"finished"}"#,
            "\n",
            r#"{"index":2,"id":"a","ok":false}"#,
            "\n",
            r#"{"index":3,"id":"b","o"#,
        );
        let earlier = EarlierResults::of(&mut text.as_bytes()).unwrap();
        let [a, b] = ["a", "b"].map(|id| BatchId::Text(id.to_owned()));
        assert!(earlier.has(0, None) && earlier.has(7, Some(&a)));
        assert!(!earlier.has(2, None) && !earlier.has(0, Some(&b)));
        assert_eq!((earlier.count(), earlier.failed, earlier.is_cut), (2, 1, true));
    }

    #[test]
    fn a_line_without_an_end_is_skipped() {
        let text =
            "{\"index\":0,\"id\":null,\"ok\":true}\n".to_owned() + &"x".repeat(MAX_BYTES as usize + 10);
        let earlier = EarlierResults::of(&mut text.as_bytes()).unwrap();
        assert_eq!((earlier.count(), earlier.is_cut), (1, true));
    }
}
