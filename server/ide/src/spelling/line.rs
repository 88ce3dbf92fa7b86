//! One instruction while it is written anew: lines before it, its own words, lines after it, and the registers taken for them.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Code, Instruction, Spares};

use super::Edits;

/// So many registers a kernel asks for beyond those that it has, when they run out.
const MORE: u8 = 4;

/// An instruction that is written anew.
pub(super) struct Line<'r> {
    text: &'r str,
    code: &'r Code,
    spares: &'r Spares<'r>,
    at: usize,
    general: Vec<u8>,
    predicates: Vec<u8>,
    /// Whether a register is taken that the kernel does not have yet.
    more: bool,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

impl<'r> Line<'r> {
    pub(super) fn new(text: &'r str, code: &'r Code, spares: &'r Spares<'r>, at: usize) -> Line<'r> {
        Line {
            text,
            code,
            spares,
            at,
            general: vec![],
            predicates: vec![],
            more: false,
            before: vec![],
            after: vec![],
        }
    }

    pub(super) fn instruction(&self) -> &'r Instruction {
        &self.code.instructions[self.at]
    }

    /// So many free registers in a row; the first of them.
    pub(super) fn registers(&mut self, count: u8) -> Option<u8> {
        let free: Vec<u8> =
            self.spares.general(self.at).filter(|index| !self.general.contains(index)).collect();
        let in_row = |first: &u8| (*first..first.saturating_add(count)).all(|index| free.contains(&index));
        let found = free.iter().copied().find(in_row);
        let first = found.or_else(|| {
            let mut beyond = self.spares.beyond().take(usize::from(MORE));
            let first = beyond.find(|first| !self.general.contains(first))?;
            self.more = true;
            (first + count <= self.limit()?).then_some(first)
        })?;
        self.general.extend(first..first + count);
        Some(first)
    }

    /// A free predicate register.
    pub(super) fn predicate(&mut self) -> Option<u8> {
        let found = self.spares.predicates(self.at).find(|index| !self.predicates.contains(index))?;
        self.predicates.push(found);
        Some(found)
    }

    /// How many registers the kernel asks for when it asks for more; `None` where it does not say how many.
    fn limit(&self) -> Option<u8> {
        self.code.resources.registers?;
        let beyond = self.spares.beyond();
        Some(beyond.start.saturating_add(MORE).min(beyond.end))
    }

    /// The edits: those of the instruction's own words, and the lines around it.
    pub(super) fn finish(self, mut edits: Edits) -> Option<Edits> {
        let range = self.instruction().range;
        let indent = self.indent();
        if !self.before.is_empty() {
            let lines: String = self.before.iter().map(|line| format!("{line}\n{indent}")).collect();
            edits.push((TextRange::empty(range.start()), lines));
        }
        if !self.after.is_empty() {
            let lines: String = self.after.iter().map(|line| format!("\n{indent}{line}")).collect();
            edits.push((TextRange::empty(self.line_end()), lines));
        }
        if self.more {
            let directive = self.code.resources.registers?.range;
            edits.push((directive, format!(".registers {}", self.limit()?)));
        }
        // Of two at one place the insertion comes first.
        edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        Some(edits)
    }

    /// Other lines in the place of the whole instruction.
    pub(super) fn replaced(mut self, mut lines: Vec<String>) -> Option<Edits> {
        let range = self.instruction().range;
        let last = lines.pop()?;
        self.before.extend(lines);
        self.finish(vec![(range, last)])
    }

    /// The blanks that the line of the instruction starts with.
    fn indent(&self) -> &'r str {
        let start = usize::from(self.instruction().range.start());
        let line = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let blanks = self.text[line..start].trim_start_matches([' ', '\t']);
        &self.text[line..start - blanks.len()]
    }

    /// Where the line of the instruction ends, its comment included, if nothing else stands on it.
    fn line_end(&self) -> TextSize {
        let end = self.instruction().range.end();
        let rest = &self.text[usize::from(end)..];
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        let comment = line.trim_start();
        let alone = comment.is_empty() || comment.starts_with([';', '#']);
        if alone { end + TextSize::of(line) } else { end }
    }
}
