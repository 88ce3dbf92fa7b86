//! A candidate of a reduction, and edits of it.

use warplens_ide::{TextEdit, TextRange};
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

/// A text after edits that do not overlap. Lines that become empty are removed.
fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| edit.range.start());
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for TextEdit { range, insert } in edits {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        // The edit is in a range that was removed.
        if start < at {
            continue;
        }
        result.push_str(&text[at..start]);
        result.push_str(&insert);
        at = end;
    }
    result.push_str(&text[at..]);
    let mut lines = String::with_capacity(result.len());
    for line in result.lines().map(str::trim_end).filter(|line| !line.trim_start().is_empty()) {
        lines.push_str(line);
        lines.push('\n');
    }
    lines
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
