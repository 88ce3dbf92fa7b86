//! Rewrites a kernel's text line by line: omits, inserts and indents lines.

use std::borrow::Cow;

use text_size::TextRange;
use warplens_hir::wave::Code;

const STEP: &str = "    ";

/// The lines of a text, some of them already written.
pub(super) struct Lines<'t> {
    lines: Vec<Cow<'t, str>>,
    places: Vec<usize>,
    next: usize,
    /// The additional indentation, in steps.
    steps: usize,
    out: String,
}

impl<'t> Lines<'t> {
    /// `None` if an instruction shares its line with something else.
    pub(super) fn new(text: &'t str, code: &Code) -> Option<Lines<'t>> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut places = Vec::with_capacity(code.instructions.len());
        let (mut line, mut start) = (0, 0);
        for instruction in &code.instructions {
            let (from, to) = (usize::from(instruction.range.start()), usize::from(instruction.range.end()));
            while from >= start + lines.get(line)?.len() {
                start += lines[line].len();
                line += 1;
            }
            let after = lines[line].get(to - start..)?.trim_start();
            let alone = lines[line][..from - start].trim_start().is_empty()
                && (after.is_empty() || after.starts_with([';', '#']));
            if !alone {
                return None;
            }
            places.push(line);
        }
        let lines = lines.into_iter().map(Cow::Borrowed).collect();
        Some(Lines { lines, places, next: 0, steps: 0, out: String::with_capacity(text.len() * 2) })
    }

    /// Replaces a text on a line that is not written yet.
    pub(super) fn replace(&mut self, range: TextRange, words: &str) {
        let mut start = 0;
        for line in &mut self.lines {
            let (from, to) = (usize::from(range.start()), usize::from(range.end()));
            if from >= start && to <= start + line.len() {
                let (from, to) = (from - start, to - start);
                *line = Cow::Owned(format!("{}{words}{}", &line[..from], &line[to..]));
                return;
            }
            start += line.len();
        }
    }

    /// Writes all lines before that of an instruction, or before the end if it does not exist.
    pub(super) fn until(&mut self, at: usize) {
        let line = self.places.get(at).copied();
        self.write(line.unwrap_or_else(|| self.places.last().map_or(0, |last| last + 1)));
    }

    /// Writes all lines up to that of an instruction.
    pub(super) fn through(&mut self, at: usize) {
        self.write(self.places[at] + 1);
    }

    /// Omits an instruction, but keeps its comment.
    pub(super) fn skip(&mut self, at: usize) {
        self.until(at);
        let line = &self.lines[self.places[at]];
        if let Some(comment) = line.find([';', '#']) {
            let comment = line[comment..].trim_end().to_owned();
            self.add(at, &comment);
        }
        self.next = self.places[at] + 1;
    }

    /// Makes the line of an instruction a comment, which explains the lines that replace it.
    pub(super) fn comment_out(&mut self, at: usize) {
        self.until(at);
        let words = format!("; {}", self.lines[self.places[at]].trim());
        self.add(at, &words);
        self.next = self.places[at] + 1;
    }

    /// Inserts a line with the indentation of an instruction.
    pub(super) fn add(&mut self, like: usize, words: &str) {
        let line = &self.lines[self.places[like]];
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        self.out += &STEP.repeat(self.steps);
        self.out += indent;
        self.out += words;
        self.out += end;
    }

    pub(super) fn indent(&mut self) {
        self.steps += 1;
    }

    pub(super) fn dedent(&mut self) {
        self.steps -= 1;
    }

    pub(super) fn finish(mut self) -> String {
        self.write(self.lines.len());
        self.out
    }

    fn write(&mut self, to: usize) {
        for line in self.lines.get(self.next..to).unwrap_or_default() {
            if !line.trim().is_empty() {
                self.out += &STEP.repeat(self.steps);
            }
            self.out += line;
        }
        self.next = self.next.max(to);
    }
}
