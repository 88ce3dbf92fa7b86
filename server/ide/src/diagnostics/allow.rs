//! `// warplens: allow(code, code2)`: diagnostics that a comment switches off for its line.
//!
//! At the end of a line the comment is about that line; alone on a line it is about the next one. A comment belongs to
//! the item after it, even when it stands on the last line of the item before, so an item only says what its comments
//! allow, and [`Allowances`] puts it together for the file.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_syntax::{ItemList, SyntaxKind, SyntaxNode};

use super::problem::{ItemFix, Problem};
use super::rules::{nearest_rule, rule};
use super::{ItemProblems, codes, item_problems};
use crate::answer::{Diagnostic, Fix, Origin, Severity, TextEdit};
use crate::db::{Database, Db, File, Item, items};
use crate::position::token_covering;
use crate::similar::did_you_mean;

/// What a comment starts with that is meant for us.
const OPENING: &str = "warplens: allow(";

/// A comment that allows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allow {
    /// The names in the parentheses that are diagnostics.
    codes: Box<[SmolStr]>,
    /// Where the comment starts, relative to the item.
    comment: TextSize,
    /// Where the list of names ends.
    list_end: TextSize,
    /// Whether nothing stands in the parentheses.
    is_empty: bool,
}

/// What the comments of an item allow. Names that are none are problems.
pub(super) fn allows(db: &dyn Db, item: Item<'_>, problems: &mut Vec<Problem>) -> Box<[Allow]> {
    let text = &*item.text(db).0;
    let mut openings = text.match_indices(OPENING).peekable();
    if openings.peek().is_none() {
        return Box::default();
    }
    let tree = item.parse(db).syntax();
    openings.filter_map(|(at, _)| allow(text, &tree, at + OPENING.len(), problems)).collect()
}

/// The comment whose list starts there.
fn allow(text: &str, tree: &SyntaxNode, list: usize, problems: &mut Vec<Problem>) -> Option<Allow> {
    let offset = |at: usize| TextSize::try_from(at).unwrap_or_default();
    let comment =
        token_covering(tree, offset(list - 1)).filter(|token| token.kind() == SyntaxKind::COMMENT)?;
    let comment = comment.text_range();
    let rest = &text[list..usize::from(comment.end())];
    let Some(end) = rest.find(')') else {
        let range = TextRange::new(offset(list - 1), offset(list));
        let message = "missing `)` after the names of diagnostics: `warplens: allow(name, name)`";
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
        "" => "a name of a diagnostic was expected here, such as `unused-label`".to_owned(),
        name => format!("there is no diagnostic `{name}`{}", did_you_mean(meant)),
    };
    Problem::warning(range, codes::INVALID_ALLOW, message)
        .with_fix(meant.map(|meant| ItemFix::replacement(range, meant)))
}

/// What comments allow in a file.
#[derive(Debug, Default)]
pub(super) struct Allowances {
    /// The lines about which a comment says something, in the order of the text.
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    range: TextRange,
    codes: Box<[SmolStr]>,
    /// Where another name can be added.
    list_end: TextSize,
    /// Whether it would be the first one.
    is_empty: bool,
}

impl Allowances {
    pub(super) fn new<'p>(list: &ItemList, problems: impl Iterator<Item = &'p ItemProblems>) -> Allowances {
        let mut lines = Vec::new();
        for (index, problems) in problems.enumerate() {
            for allow in &problems.allows {
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

    /// What is said about the line of this offset.
    fn about(&self, offset: TextSize) -> impl Iterator<Item = &Line> {
        let after = self.lines.partition_point(|line| line.range.start() <= offset);
        self.lines[..after].iter().rev().take_while(move |line| line.range.contains_inclusive(offset))
    }
}

/// The line that a comment is about.
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
fn line_at(list: &ItemList, offset: TextSize) -> TextRange {
    let (mut start, mut end) = (TextSize::from(0), list.text_len());
    let Some(first) = list.item_at(offset.min(end)) else { return TextRange::new(start, end) };
    for index in (0..=first).rev() {
        let at = list.start_of(index);
        let text = &*list.items()[index].text;
        let before = text.len().min(usize::from(offset.checked_sub(at).unwrap_or_default()));
        if let Some(found) = text.as_bytes()[..before].iter().rposition(|byte| *byte == b'\n') {
            start = at + TextSize::try_from(found + 1).unwrap_or_default();
            break;
        }
    }
    for index in first..list.items().len() {
        let at = list.start_of(index);
        let text = &*list.items()[index].text;
        let from = usize::from(offset.checked_sub(at).unwrap_or_default());
        if let Some(found) = text.as_bytes()[from.min(text.len())..].iter().position(|byte| *byte == b'\n') {
            end = at + TextSize::try_from(from + found).unwrap_or_default();
            break;
        }
    }
    TextRange::new(start, end)
}

fn text_of(list: &ItemList, range: TextRange) -> String {
    let mut found = String::new();
    for (index, item) in list.items().iter().enumerate().skip(list.item_at(range.start()).unwrap_or(0)) {
        let at = list.start_of(index);
        if at >= range.end() {
            break;
        }
        let whole = TextRange::at(at, TextSize::of(&*item.text));
        if let Some(part) = whole.intersect(range) {
            found.push_str(item.text.get(std::ops::Range::<usize>::from(part - at)).unwrap_or_default());
        }
    }
    found
}

/// A comment that switches a diagnostic off for its line. What the assembler rejects is fixed, not allowed.
pub(crate) fn allow_fix(db: &Database, file: File, found: &Diagnostic) -> Option<Fix> {
    let is_rejected = found.severity == Severity::Error && found.origin == Origin::Text;
    if is_rejected
        || found.code == "not-assembled"
        || [codes::TOO_MANY, codes::INVALID_ALLOW].contains(&found.code)
    {
        return None;
    }
    let (offset, code) = (found.range.start(), found.code);
    let list = file.document(db).items();
    let problems = items(db, file).iter().map(|item| item_problems(db, file, *item));
    let allowances = Allowances::new(list, problems);
    let (at, insert) = match allowances.about(offset).next() {
        Some(line) if line.is_empty => (line.list_end, code.to_owned()),
        Some(line) => (line.list_end, format!(", {code}")),
        None => {
            let line = line_at(list, offset);
            let text = text_of(list, line);
            let end = line.start() + TextSize::of(text.trim_end());
            (end, format!(" {}warplens: allow({code})", comment_mark(db, file, end)?))
        }
    };
    let edits = vec![TextEdit { range: TextRange::empty(at), insert }];
    Some(Fix { title: format!("Allow `{code}` on this line"), edits, preferred: false })
}

/// What a comment at the end of a line begins with; nothing where one stands already, `None` inside of a longer one.
fn comment_mark(db: &Database, file: File, end: TextSize) -> Option<String> {
    let list = file.document(db).items();
    let before = end.checked_sub(TextSize::from(1))?;
    let index = list.item_at(before)?;
    let tree = items(db, file)[index].parse(db).syntax();
    let token = token_covering(&tree, before - list.start_of(index))?;
    let mark = || format!("{} ", file.language(db).line_comment());
    let text = token.text();
    match token.kind() {
        SyntaxKind::COMMENT if !text.starts_with("/*") => Some(String::new()),
        SyntaxKind::COMMENT => text.ends_with("*/").then(mark),
        _ => Some(mark()),
    }
}

#[cfg(test)]
mod tests;
