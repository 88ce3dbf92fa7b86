//! Where WAVE items end: a kernel after its `.end` or before the next `.kernel`, anything else before the next `.kernel`.
//!
//! An item that ends takes the blanks and the comment after it on its line; later trivia belong to the item after it.

use crate::lexed::Lexed;
use crate::scan::{Scanned, Tail};
use crate::{ItemKind, SyntaxKind};

use super::lexer::Lexer;
use super::{is_end, is_kernel};

/// How far beyond a token its lexing looks at most.
const TOKEN_LOOKAHEAD: usize = 4;

/// Finds the end of the item that starts at `start`.
pub(crate) fn scan(text: &str, start: usize, _tail: &Tail<'_>) -> Scanned {
    let mut scanner = Scanner { lexer: Lexer::new(text, start, Lexed::default()), end: start };
    let mut item = Scanned {
        end: text.len(),
        examined: text.len() + 1,
        kind: ItemKind::Other,
        name: None,
        open_comment: false,
    };
    let mut first = true;
    while let Some((kind, place)) = scanner.next() {
        let word = if kind == SyntaxKind::DOT_WORD { &text[place..scanner.lexer.at] } else { "" };
        let opens = is_kernel(word);
        let closes = item.kind == ItemKind::Kernel && is_end(word);
        if opens && !first {
            item.examined = scanner.lexer.at + TOKEN_LOOKAHEAD;
            item.end = scanner.end_of_line(text);
            break;
        }
        scanner.end = scanner.lexer.at;
        if closes {
            item.end = scanner.end_of_line(text);
            item.examined = scanner.lexer.at + TOKEN_LOOKAHEAD;
            break;
        }
        if opens {
            item.kind = ItemKind::Kernel;
            item.name = scanner.name(text);
        }
        first = false;
    }
    item
}

struct Scanner<'t> {
    lexer: Lexer<'t>,
    /// Where the last token that is not trivia ends.
    end: usize,
}

impl Scanner<'_> {
    /// The next token that is not trivia, and where it starts.
    fn next(&mut self) -> Option<(SyntaxKind, usize)> {
        while !self.lexer.at_end() {
            let start = self.lexer.at;
            let kind = self.lexer.token();
            if !kind.is_trivia() {
                return Some((kind, start));
            }
        }
        None
    }

    /// The name right after `.kernel`.
    fn name(&mut self, text: &str) -> Option<std::ops::Range<usize>> {
        let before = self.lexer.at;
        match self.next() {
            Some((SyntaxKind::IDENT, start)) if !text[before..start].contains('\n') => {
                self.end = self.lexer.at;
                Some(start..self.lexer.at)
            }
            _ => {
                self.lexer.at = before;
                None
            }
        }
    }

    /// Where the blanks and the comment after the last token that is not trivia end, the end of the line included.
    fn end_of_line(&mut self, text: &str) -> usize {
        self.lexer.at = self.end;
        let mut end = self.end;
        while !self.lexer.at_end() {
            let start = self.lexer.at;
            if !self.lexer.token().is_trivia() {
                break;
            }
            if let Some(line_end) = text[start..self.lexer.at].find('\n') {
                return start + line_end + 1;
            }
            end = self.lexer.at;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use crate::{ItemKind, ItemList, Language};

    fn items(text: &str) -> Vec<(ItemKind, Option<String>, String)> {
        let list = ItemList::new(Language::Wave, text);
        assert_eq!(list.text(), text);
        let item = |item: &crate::Item| {
            (item.kind, item.name.as_ref().map(ToString::to_string), item.text.to_string())
        };
        list.items().iter().map(item).collect()
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
    fn words_in_comments_and_names_are_no_directives() {
        let texts: Vec<_> = items(".kernel a ; .end\n# .kernel c\n.ending\n.end\nhelper:\n.kernel b")
            .into_iter()
            .map(|i| i.2)
            .collect();
        assert_eq!(texts, [".kernel a ; .end\n# .kernel c\n.ending\n.end\n", "helper:\n", ".kernel b"]);
    }
}
