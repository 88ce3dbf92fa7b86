//! Where SASS items end: before the next section of `nvdisasm`, and before the next header or function of
//! `cuobjdump`.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::bytes::{indentation, is_word};
use super::line::Class;
use super::{columns, line};
use crate::ItemKind;
use crate::scan::{Scanned, Tail};

/// The start of an item.
enum Start {
    /// The rule above a section, or the directive that opens it, with the name of the section.
    Section(Range<usize>),
    /// `Fatbin elf code:` or `code for sm_80`.
    Header,
    /// `Function : saxpy`
    Function(Range<usize>),
}

pub(crate) fn scan(text: &str, start: usize, _tail: &Tail<'_>) -> Scanned {
    let mut item = Scanned::to_end(text);
    let bytes = text.as_bytes();
    let (mut at, mut opened, mut first) = (start, None, true);
    let mut addresses = Addresses::default();
    while at < bytes.len() {
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1);
        if let Some(found) = begins(bytes, at..end) {
            if !first && !continues(opened.as_ref(), &found, bytes) {
                item.examined = end + usize::from(end == bytes.len());
                item.end = at;
                break;
            }
            opened = Some(found);
        }
        if addresses.restart(&bytes[at..end]) {
            item.examined = end + usize::from(end == bytes.len());
            item.end = addresses.end;
            break;
        }
        addresses.end = if addresses.is_code { end } else { addresses.end };
        first &= text[at..end].trim_ascii().is_empty();
        at = end;
    }
    // `code for sm_80` directly before instructions.
    let has_code = matches!(opened, Some(Start::Header)) && has_code(&text[start..item.end.min(text.len())]);
    name(&mut item, opened.filter(|_| !has_code), bytes);
    item
}

fn has_code(text: &str) -> bool {
    text.lines().any(|line| {
        let line = &line.as_bytes()[columns::quotation(line.as_bytes(), false)..];
        matches!(line::classify(line, false), Class::Addressed | Class::Statement)
    })
}

/// The addresses of an item. If they start again, another listing begins; what stands between the two belongs to it.
#[derive(Default)]
struct Addresses {
    /// The first and the last address.
    seen: Option<(u64, u64)>,
    /// Whether there is prose after the last address.
    after_prose: bool,
    /// What the code so far ends with.
    progress: Progress,
    /// Whether the last line that is not empty is code.
    after_code: bool,
    /// Whether the line is code, and the end of the last line that is.
    is_code: bool,
    end: usize,
}

/// Code after the end of a function and prose belongs to another listing.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Progress {
    #[default]
    Runs,
    /// An `EXIT` or `RET` of all lanes, and what pads the function.
    Ended,
    /// Prose after that.
    Explained,
}

impl Addresses {
    /// Reads a line. Returns whether it begins another listing.
    fn restart(&mut self, text: &[u8]) -> bool {
        let text = text.trim_ascii_end();
        let line = &text[columns::quotation(text, self.after_code)..];
        let line = &line[indentation(line)..];
        let Some(length) = line::address(line) else { return self.without_address(line) };
        let rest = &line[length..];
        let rest = &rest[indentation(rest)..];
        self.is_code = rest.first() != Some(&b'.');
        self.after_code = true;
        let digits = std::str::from_utf8(&line[2..length - 2]).unwrap_or_default();
        let Some(address) = u64::from_str_radix(digits, 16).ok().filter(|_| self.is_code) else {
            return false;
        };
        let after_prose = std::mem::take(&mut self.after_prose);
        let is_other = self.advance(rest);
        match self.seen {
            None if is_other => return true,
            None => self.seen = Some((address, address)),
            Some((first, last)) => {
                let follows = address.wrapping_sub(last) <= 16;
                if address <= first || address <= last && after_prose || is_other && !follows {
                    return true;
                }
                self.seen = Some((first, address));
            }
        }
        false
    }

    /// Reads a line without an address.
    fn without_address(&mut self, line: &[u8]) -> bool {
        // A high word follows its instruction.
        self.is_code = line::encoding(line).is_some();
        if self.is_code {
            return false;
        }
        match line::classify(line, self.after_code) {
            Class::Statement => {
                (self.is_code, self.after_code) = (true, true);
                return self.advance(line);
            }
            // A branch may lead to the label.
            Class::Label { .. } => self.progress = Progress::Runs,
            Class::Prose => {
                self.after_code = false;
                if line::starts_with_word(line) {
                    // Only prose between two addresses matters.
                    self.after_prose |= self.seen.is_some();
                    if self.progress == Progress::Ended {
                        self.progress = Progress::Explained;
                    }
                }
            }
            _ => {}
        }
        false
    }

    /// Reads an instruction. Returns whether it is of another listing.
    fn advance(&mut self, instruction: &[u8]) -> bool {
        let is_other = self.progress == Progress::Explained;
        let is = |opcode: &[u8]| {
            let rest = instruction.strip_prefix(opcode);
            rest.is_some_and(|rest| !rest.first().is_some_and(|byte| is_word(*byte)))
        };
        self.progress = match self.progress {
            _ if is(b"EXIT") || is(b"RET") => Progress::Ended,
            Progress::Ended if is(b"BRA") || is(b"NOP") => Progress::Ended,
            _ => Progress::Runs,
        };
        is_other
    }
}

/// Whether the line continues the item, as the directive of a section does after its rule.
fn continues(opened: Option<&Start>, found: &Start, text: &[u8]) -> bool {
    match (opened, found) {
        (Some(Start::Section(rule)), Start::Section(directive)) => {
            text[rule.clone()] == text[directive.clone()] && text[directive.start - 1] != b' '
        }
        _ => false,
    }
}

/// Sets the kind and the name, from a function of `cuobjdump` or a section that holds code.
fn name(item: &mut Scanned, opened: Option<Start>, text: &[u8]) {
    match opened {
        Some(Start::Function(name)) => (item.kind, item.name) = (ItemKind::Kernel, Some(name)),
        Some(Start::Section(name)) => match text[name.clone()].strip_prefix(b".text.") {
            Some(_) => (item.kind, item.name) = (ItemKind::Kernel, Some(name.start + 6..name.end)),
            None => (item.kind, item.name) = (ItemKind::Variable, Some(name)),
        },
        Some(Start::Header) => item.kind = ItemKind::Directive,
        None => item.kind = ItemKind::Kernel,
    }
}

/// The start of an item, if this line is one.
fn begins(text: &[u8], range: Range<usize>) -> Option<Start> {
    let line = &text[range.clone()];
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let indented = indentation(line);
    let starts = match line.get(indented)? {
        // The fast path for most lines: the address of an instruction or of data, or an encoding.
        b'/' if line.get(indented + 1) == Some(&b'*') => return None,
        b'/' | b'F' | b'c' | b'.' => indented,
        b'>' | b'|' | b'0'..=b'9' => {
            let marks = columns::quotation(line, false);
            marks + indentation(&line[marks..])
        }
        _ => return None,
    };
    let (line, start) = (&line[starts..], range.start + starts);
    let range = |from: usize, length: usize| start + from..start + from + length;
    if let Some((from, to)) = line::section_rule(line) {
        return Some(Start::Section(start + from..start + to));
    }
    if let Some(rest) = line.strip_prefix(b".section") {
        let gap = indentation(rest);
        let name = memchr(b',', &rest[gap..]).unwrap_or(rest.len() - gap);
        return (gap > 0 && name > 0).then(|| Start::Section(range(8 + gap, name)));
    }
    if line::is_fat_header(line) || line.starts_with(b"code for sm_") {
        return Some(Start::Header);
    }
    if line.starts_with(b"Function") {
        let colon = memmem::find(line, b":")?;
        let gap = indentation(&line[colon + 1..]);
        let from = colon + 1 + gap;
        let name = line[from..].trim_ascii_end().len();
        return (line[8..colon].trim_ascii().is_empty() && name > 0)
            .then(|| Start::Function(range(from, name)));
    }
    None
}
