//! Test sources with marker lines.
//!
//! A line that consists of spaces, `|` and `^` marks the line above it and is removed: `|` places a cursor before the
//! character above it, `^^^` marks a range. The rest is the source as a user would write it.

use text_size::{TextRange, TextSize};
use warplens_ide_db::FileId;
use warplens_ide_diagnostics::rules::Rules;
use warplens_syntax::Language;

use crate::analysis::{Analysis, AnalysisHost};

pub const FILE: FileId = FileId(0);

/// A source without its marker lines, and the marked positions.
pub struct Fixture {
    pub text: String,
    /// The offsets that `|` marks.
    pub cursors: Vec<TextSize>,
    /// The ranges that `^^^` marks.
    pub ranges: Vec<TextRange>,
}

impl Fixture {
    /// Removes the marker lines from a source.
    pub fn new(source: &str) -> Fixture {
        let mut fixture = Fixture { text: String::new(), cursors: Vec::new(), ranges: Vec::new() };
        let mut line_start = 0;
        for line in source.split_inclusive('\n') {
            if is_marker(line) {
                fixture.mark(line, line_start);
            } else {
                line_start = fixture.text.len();
                fixture.text.push_str(line);
            }
        }
        fixture
    }

    fn mark(&mut self, line: &str, line_start: usize) {
        let at = |column: usize| TextSize::try_from(line_start + column).expect("test sources are short");
        self.cursors.extend(line.match_indices('|').map(|(column, _)| at(column)));
        let mut rest = 0;
        while let Some(start) = line[rest..].find('^').map(|found| rest + found) {
            rest = start + line[start..].bytes().take_while(|byte| *byte == b'^').count();
            self.ranges.push(TextRange::new(at(start), at(rest)));
        }
    }

    /// The cursor. The source must have exactly one.
    pub fn cursor(&self) -> TextSize {
        assert_eq!(self.cursors.len(), 1, "the source has one cursor");
        self.cursors[0]
    }

    /// A range as `line:text`, counting lines from 1.
    pub fn show(&self, range: TextRange) -> String {
        let line = 1 + self.text[..usize::from(range.start())].matches('\n').count();
        format!("{line}:`{}`", &self.text[range])
    }
}

fn is_marker(line: &str) -> bool {
    let marks = line.trim();
    !marks.is_empty() && marks.bytes().all(|byte| matches!(byte, b' ' | b'|' | b'^'))
}

/// The language of a test source: WAVE has a `.kernel` line, PTX never has one.
pub fn language_of(source: &str) -> Language {
    let is_wave = source.lines().any(|line| line.trim_start().starts_with(".kernel"));
    if is_wave { warplens_syntax::wave::LANGUAGE } else { warplens_syntax::ptx::LANGUAGE }
}

/// Opens a source in a snapshot. A missing prologue is not reported, because most test sources omit it.
pub fn open(source: &str) -> (Fixture, Analysis) {
    let fixture = Fixture::new(source);
    let mut host = AnalysisHost::new();
    let mut rules = Rules::default();
    rules.set("missing-directive", None);
    host.set_rules(rules);
    host.open(FILE, language_of(source), &fixture.text);
    (fixture, host.snapshot())
}

/// Opens a source of another language with inline PTX, by its language id.
pub fn open_host(id: &str, source: &str) -> (Fixture, Analysis) {
    let fixture = Fixture::new(source);
    let mut host = AnalysisHost::new();
    host.open_host(FILE, warplens_host::by_id(id).expect("a host language"), &fixture.text);
    (fixture, host.snapshot())
}
