//! `// warplens: allow(code, code2)`: diagnostics that a comment switches off for its line.
//!
//! At the end of a line the comment applies to that line; alone on a line it applies to the next one. A comment belongs to
//! the item after it, even on the last line of the item before, so an item only lists what its comments allow, and
//! [`Allowances`] combines the lists for the file.

use memchr::memmem;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{Db, Diagnostic, Item, ItemFix, Problem, did_you_mean, token_covering};
use warplens_syntax::{ItemList, SyntaxKind, SyntaxNode};

use crate::codes;
use crate::rules::{nearest_rule, rule};

pub(crate) const OPENING: &str = "warplens: allow(";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allow {
    /// The known names in the parentheses.
    codes: Box<[SmolStr]>,
    /// Where the comment starts, relative to the item.
    comment: TextSize,
    list_end: TextSize,
    is_empty: bool,
}

/// The comments of an item that allow diagnostics. Unknown names in them become problems.
pub(super) fn allows(db: &dyn Db, item: Item<'_>, problems: &mut Vec<Problem>) -> Box<[Allow]> {
    let text = &item.text(db).0;
    let mut openings = memmem::find_iter(text.as_bytes(), OPENING).peekable();
    if openings.peek().is_none() {
        return Box::default();
    }
    let tree = item.parse(db).syntax();
    openings.filter_map(|at| allow(text, &tree, at + OPENING.len(), problems)).collect()
}

fn allow(text: &str, tree: &SyntaxNode, list: usize, problems: &mut Vec<Problem>) -> Option<Allow> {
    let offset = |at: usize| TextSize::try_from(at).unwrap_or_default();
    let comment =
        token_covering(tree, offset(list - 1)).filter(|token| token.kind() == SyntaxKind::COMMENT)?;
    let comment = comment.text_range();
    let rest = &text[list..usize::from(comment.end())];
    let Some(end) = rest.find(')') else {
        let range = TextRange::new(offset(list - 1), offset(list));
        let message = "missing `)` after the diagnostic names: write `warplens: allow(name, name)`";
        problems.push(Problem::warning(range, codes::INVALID_ALLOW, message));
        return None;
    };
    let mut codes = Vec::new();
    let mut start = list;
    for part in rest[..end].split(',') {
        let name = part.trim();
        let at = start + (part.len() - part.trim_start().len());
        start += part.len() + 1;
        match rule(name) {
            Some(code) => codes.push(SmolStr::new_static(code)),
            None => problems.push(unknown(name, TextRange::at(offset(at), TextSize::of(name)))),
        }
    }
    let is_empty = rest[..end].trim().is_empty();
    Some(Allow { codes: codes.into(), comment: comment.start(), list_end: offset(list + end), is_empty })
}

fn unknown(name: &str, range: TextRange) -> Problem {
    let meant = nearest_rule(name);
    let message = match name {
        "" => "expected the name of a diagnostic, such as `unused-label`".to_owned(),
        name => format!("unknown diagnostic `{name}`{}", did_you_mean(meant)),
    };
    Problem::warning(range, codes::INVALID_ALLOW, message)
        .with_fix(meant.map(|meant| ItemFix::replacement(range, meant)))
}

/// The diagnostics that comments allow in a file.
#[derive(Debug, Default)]
pub(super) struct Allowances {
    /// The lines that a comment applies to, in text order.
    lines: Vec<Line>,
}

#[derive(Debug)]
pub(super) struct Line {
    range: TextRange,
    codes: Box<[SmolStr]>,
    /// Where another name can be added.
    pub(super) list_end: TextSize,
    /// Whether it would be the first one.
    pub(super) is_empty: bool,
}

impl Allowances {
    pub(super) fn new<'p>(list: &ItemList, allows: impl Iterator<Item = (usize, &'p [Allow])>) -> Allowances {
        let mut lines = Vec::new();
        for (index, allows) in allows {
            for allow in allows {
                let start = list.start_of(index);
                let range = line_of_comment(list, allow.comment + start);
                let list_end = allow.list_end + start;
                lines.push(Line { range, codes: allow.codes.clone(), list_end, is_empty: allow.is_empty });
            }
        }
        lines.sort_by_key(|line| line.range.start());
        Allowances { lines }
    }

    /// Whether a diagnostic is switched off by a comment.
    pub(super) fn allow(&self, found: &Diagnostic) -> bool {
        let mut lines = self.about(found.range.start());
        lines.any(|line| line.codes.iter().any(|code| code == found.code))
    }

    pub(super) fn about(&self, offset: TextSize) -> impl Iterator<Item = &Line> {
        let after = self.lines.partition_point(|line| line.range.start() <= offset);
        self.lines[..after].iter().rev().take_while(move |line| line.range.contains_inclusive(offset))
    }
}

fn line_of_comment(list: &ItemList, comment: TextSize) -> TextRange {
    let line = line_at(list, comment);
    let is_alone = text_of(list, TextRange::new(line.start(), comment)).trim().is_empty();
    if is_alone && line.end() < list.text_len() {
        line_at(list, line.end() + TextSize::from(1))
    } else {
        line
    }
}

/// The line of an offset, without its end.
pub(super) fn line_at(list: &ItemList, offset: TextSize) -> TextRange {
    let (mut start, mut end) = (TextSize::from(0), list.text_len());
    let Some(first) = list.item_at(offset.min(end)) else { return TextRange::new(start, end) };
    for index in (0..=first).rev() {
        let at = list.start_of(index);
        let text = &*list[index].text;
        let before = text.len().min(usize::from(offset.checked_sub(at).unwrap_or_default()));
        if let Some(found) = text.as_bytes()[..before].iter().rposition(|byte| *byte == b'\n') {
            start = at + TextSize::try_from(found + 1).unwrap_or_default();
            break;
        }
    }
    for index in first..list.len() {
        let at = list.start_of(index);
        let text = &*list[index].text;
        let from = usize::from(offset.checked_sub(at).unwrap_or_default());
        if let Some(found) = text.as_bytes()[from.min(text.len())..].iter().position(|byte| *byte == b'\n') {
            end = at + TextSize::try_from(from + found).unwrap_or_default();
            break;
        }
    }
    TextRange::new(start, end)
}

pub(super) fn text_of(list: &ItemList, range: TextRange) -> String {
    let mut found = String::new();
    for (index, part) in list.parts_of(range) {
        let part = std::ops::Range::<usize>::from(part - list.start_of(index));
        found.push_str(list[index].text.get(part).unwrap_or_default());
    }
    found
}
