//! A candidate of a reduction, and edits of it.

use warplens_ide::{TextEdit, TextRange, TextSize};
use warplens_sim_launch::Launch;

/// One kernel, or two of one language that are reduced together, and the launch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) texts: Vec<String>,
    pub(super) launch: Launch,
}

impl Candidate {
    /// The candidate with edits of each text.
    pub(super) fn edited(&self, edits: impl Fn(usize) -> Vec<TextEdit>) -> Candidate {
        let texts = self.texts.iter().enumerate().map(|(side, text)| edited(text, edits(side))).collect();
        Candidate { texts, launch: self.launch.clone() }
    }

    /// The candidate without ranges of each text.
    pub(super) fn without(&self, ranges: impl Fn(usize) -> Vec<TextRange>) -> Candidate {
        let removed = |range| TextEdit { range, insert: String::new() };
        self.edited(|side| ranges(side).into_iter().map(removed).collect())
    }
}

/// A text after edits, without lines that become empty. An edit in a range that was removed is skipped.
fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| edit.range.start());
    let mut end = TextSize::new(0);
    edits.retain(|edit| {
        let is_kept = edit.range.start() >= end;
        end = if is_kept { edit.range.end() } else { end };
        is_kept
    });
    let text = warplens_ide::edited(text, &edits);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_leave_no_empty_lines() {
        let text = "a;\n  b;\n\n  c d; // e\n";
        let edit = |start: u32, end: u32, insert: &str| TextEdit {
            range: TextRange::new(start.into(), end.into()),
            insert: insert.to_owned(),
        };
        assert_eq!(
            edited(text, vec![edit(5, 7, ""), edit(13, 14, "x"), edit(5, 6, "y")]),
            "a;\n  c x; // e\n"
        );
        assert_eq!(edited(text, Vec::new()), "a;\n  b;\n  c d; // e\n");
    }
}
