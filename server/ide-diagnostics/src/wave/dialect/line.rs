//! The rewrite of one instruction: lines before it, its own text, lines after it, and the registers that they need.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Cell, Code, Instruction, MAX_DEPTH, Spares};

use crate::wave::dialect::edits::Edits;
use crate::wave::dialect::registers::LAST_PREDICATE;

/// The last register that toolchain 0.1.2 encodes correctly as the false source of a `select`.
const LAST_FALSE_SOURCE: u8 = 15;

/// The number of additional registers that a kernel requests if all are used.
const MORE: u8 = 4;

pub(super) struct Line<'r> {
    text: &'r str,
    code: &'r Code,
    spares: &'r Spares<'r>,
    at: usize,
    general: Vec<u8>,
    predicates: Vec<u8>,
    /// Whether it uses a register that the kernel does not have yet.
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

    /// The first of some consecutive free registers.
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

    /// Moves the false source of a `select` to a register that is encoded correctly, if necessary.
    pub(super) fn low_false_source(&mut self, source: &mut String) -> Option<()> {
        if source[1..].parse::<u8>().ok()? > LAST_FALSE_SOURCE {
            let mut free = self.spares.general(self.at).filter(|index| !self.general.contains(index));
            let low = free.find(|index| *index <= LAST_FALSE_SOURCE)?;
            self.general.push(low);
            self.before.push(format!("mov r{low}, {source}"));
            *source = format!("r{low}");
        }
        Some(())
    }

    /// A free predicate register, or one whose value is saved in a general register during the instruction.
    pub(super) fn predicate(&mut self) -> Option<u8> {
        let free = self.spares.predicates(self.at).find(|index| !self.predicates.contains(index));
        let found = match free {
            Some(free) => free,
            None => self.set_aside()?,
        };
        self.predicates.push(found);
        Some(found)
    }

    /// Saves a predicate that the instruction does not use. Not for instructions that change the mask: they may leave no lane to restore it.
    fn set_aside(&mut self) -> Option<u8> {
        let instruction = self.instruction();
        let entry = instruction.entry?.0;
        if entry.category.id == "control" || matches!(entry.mnemonic, "halt" | "return" | "call") {
            return None;
        }
        let named = |index: &u8| {
            let cell = Cell::Predicate(*index);
            instruction.reads().chain(instruction.writes()).any(|it| it == cell)
        };
        let found =
            (0..=LAST_PREDICATE).rev().find(|index| !named(index) && !self.predicates.contains(index))?;
        let (kept, zero) = (self.registers(1)?, self.registers(1)?);
        // The toolchain honors `@!p0` but ignores `@p0`.
        self.before.push(format!("mov_imm r{kept}, 1"));
        self.before.push(format!("@!p{found} mov_imm r{kept}, 0"));
        self.after.push(format!("mov_imm r{zero}, 0"));
        self.after.push(format!("icmp_ne p{found}, r{kept}, r{zero}"));
        Some(found)
    }

    /// Whether the nesting limit allows one more `if` around the instruction.
    pub(super) fn can_nest(&self) -> bool {
        let parents = &self.code.parents;
        std::iter::successors(parents[self.at], |parent| parents[*parent as usize]).count() < MAX_DEPTH
    }

    /// Puts the instruction in an `if` instead of guarding it.
    pub(super) fn in_branch(&mut self) -> Option<(TextRange, String)> {
        let guard = self.instruction().guard.filter(|_| self.can_nest())?;
        self.after.insert(0, "endif".into());
        let range = TextRange::new(guard.range.start(), self.instruction().mnemonic_range.start());
        Some((range, format!("if p{}\n{}    ", guard.predicate, self.indent())))
    }

    /// The increased number of registers of the kernel; `None` if it does not declare one.
    fn limit(&self) -> Option<u8> {
        self.code.resources.registers?;
        let beyond = self.spares.beyond();
        Some(beyond.start.saturating_add(MORE).min(beyond.end))
    }

    /// The edits: those of the instruction's own text, and the lines around it.
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
        // Of two at one offset the insertion is first.
        edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        Some(edits)
    }

    /// Replaces the whole instruction by other lines.
    pub(super) fn replaced(mut self, mut lines: Vec<String>) -> Option<Edits> {
        let range = self.instruction().range;
        let last = lines.pop()?;
        self.before.extend(lines);
        self.finish(vec![(range, last)])
    }

    fn indent(&self) -> &'r str {
        let start = usize::from(self.instruction().range.start());
        let line = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let code = self.text[line..start].trim_start_matches([' ', '\t']);
        &self.text[line..start - code.len()]
    }

    /// The end of the instruction's line, including its comment, if nothing else is on it.
    fn line_end(&self) -> TextSize {
        let end = self.instruction().range.end();
        let rest = &self.text[usize::from(end)..];
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        let comment = line.trim_start();
        let alone = comment.is_empty() || comment.starts_with([';', '#']);
        if alone { end + TextSize::of(line) } else { end }
    }
}
