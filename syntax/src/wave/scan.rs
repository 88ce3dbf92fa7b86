//! Where WAVE items end: a kernel after its `.end` or before the next `.kernel`, anything else before the
//! next `.kernel`.
//!
//! A closed item includes the spaces and the comment after it on its line; later trivia belongs to the next
//! item.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::lexed::Lexed;
use crate::scan::{Scanned, Tail};
use crate::{ItemKind, SyntaxKind};

use super::lexer::Lexer;
use super::words::{is_end, is_kernel};

/// How far the lexer looks ahead after a token at most.
const TOKEN_LOOKAHEAD: usize = 4;

pub(crate) fn scan(text: &str, start: usize, _tail: &Tail<'_>) -> Scanned {
    let mut item = Scanned::to_end(text);
    let mut at = start;
    while let Some(word) = boundary(text, at) {
        at = word.end;
        if is_kernel(&text[word.clone()]) {
            let before = end_of_code(text, start..word.start);
            if let Some(before) = before {
                item.examined = word.end + TOKEN_LOOKAHEAD;
                item.end = end_of_line(text, before).0;
                break;
            }
            item.kind = ItemKind::Kernel;
            item.name = name(text, word.end);
        } else if item.kind == ItemKind::Kernel {
            let (end, seen) = end_of_line(text, word.end);
            item.end = end;
            item.examined = seen + TOKEN_LOOKAHEAD;
            break;
        }
    }
    item
}

/// The first `.kernel` or `.end` from `from` on that is a token. Most lines contain no such word and are not
/// lexed, because only white space continues on the next line.
fn boundary(text: &str, mut from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut dot = from;
    loop {
        dot += memchr(b'.', &bytes[dot..])?;
        if !matches!(bytes[dot + 1..], [b'k' | b'K', b'e' | b'E', ..] | [b'e' | b'E', b'n' | b'N', ..]) {
            dot += 1;
            continue;
        }
        let line = memrchr(b'\n', &bytes[from..dot]).map_or(from, |end| from + end + 1);
        let mut tokens = tokens(text, line);
        let (kind, range) = tokens.find(|(_, range)| range.end > dot)?;
        let word = &text[range.clone()];
        if kind == SyntaxKind::DOT_WORD && (is_kernel(word) || is_end(word)) {
            return Some(range);
        }
        (from, dot) = (range.end, range.end);
    }
}

/// Where the last token other than trivia ends.
fn end_of_code(text: &str, part: Range<usize>) -> Option<usize> {
    tokens(&text[..part.end], part.start)
        .filter(|(kind, _)| !kind.is_trivia())
        .last()
        .map(|(_, range)| range.end)
}

/// The name right after `.kernel`.
fn name(text: &str, after: usize) -> Option<Range<usize>> {
    let (kind, range) = tokens(text, after).find(|(kind, _)| !kind.is_trivia())?;
    let is_name = kind == SyntaxKind::IDENT && !text[after..range.start].contains('\n');
    is_name.then_some(range)
}

/// The end of the spaces and the comment after `from`, including the newline, and the end of the examined
/// text.
fn end_of_line(text: &str, from: usize) -> (usize, usize) {
    let mut end = from;
    for (kind, range) in tokens(text, from) {
        if !kind.is_trivia() {
            return (end, range.end);
        }
        if let Some(line_end) = text[range.clone()].find('\n') {
            return (range.start + line_end + 1, range.end);
        }
        end = range.end;
    }
    (end, end)
}

/// The tokens of a text from an offset on, including trivia.
fn tokens(text: &str, at: usize) -> impl Iterator<Item = (SyntaxKind, Range<usize>)> {
    let mut lexer = Lexer::new(text, at, Lexed::default());
    std::iter::from_fn(move || {
        let start = lexer.at;
        (!lexer.at_end()).then(|| (lexer.token(), start..lexer.at))
    })
}

#[cfg(test)]
mod tests {
    use crate::{ItemKind, ItemList};

    fn items(text: &str) -> Vec<(ItemKind, Option<String>, String)> {
        let list = ItemList::new(crate::wave::LANGUAGE, text);
        assert_eq!(list.text(), text);
        let item = |item: &crate::Item| {
            (item.kind, item.name.as_ref().map(ToString::to_string), item.text.to_string())
        };
        list.iter().map(item).collect()
    }

    #[test]
    fn a_kernel_takes_the_comments_before_it_and_the_one_on_its_last_line() {
        let text = "; a file\n.kernel a\nhalt\n.end ; done\n; b does more\n.kernel b\n.end\n";
        let kernel = |name: &str, text: &str| (ItemKind::Kernel, Some(name.to_owned()), text.to_owned());
        assert_eq!(
            items(text),
            [
                kernel("a", "; a file\n.kernel a\nhalt\n.end ; done\n"),
                kernel("b", "; b does more\n.kernel b\n.end\n"),
            ]
        );
    }

    #[test]
    fn a_kernel_closes_the_one_before_it() {
        let texts: Vec<_> =
            items(".kernel a\nhalt ; a ends\n\n.kernel b .end nop").into_iter().map(|i| i.2).collect();
        assert_eq!(texts, [".kernel a\nhalt ; a ends\n", "\n.kernel b .end ", "nop"]);
    }

    #[test]
    fn words_in_comments_and_names_are_not_directives() {
        let texts: Vec<_> = items(".kernel a ; .end\n# .kernel c\n.ending\n.end\nhelper:\n.kernel b")
            .into_iter()
            .map(|i| i.2)
            .collect();
        assert_eq!(texts, [".kernel a ; .end\n# .kernel c\n.ending\n.end\n", "helper:\n", ".kernel b"]);
    }
}
