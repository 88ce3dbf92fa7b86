//! The head of a declaration as the scanner sees it: the kind of the declaration and the declared name.

use std::ops::Range;

use super::words;
use crate::ItemKind;

/// What is known so far about the head of a declaration.
#[derive(Default)]
pub(super) struct Header<'t> {
    pub(super) words: usize,
    pub(super) last_word: &'t str,
    /// Kernel or function; `None` if it is not a function.
    pub(super) kind: Option<ItemKind>,
    is_variable: bool,
    pub(super) name: Option<Range<usize>>,
    pub(super) parens: usize,
    pub(super) has_value: bool,
}

impl<'t> Header<'t> {
    pub(super) fn word(&mut self, word: &'t str) {
        if self.parens > 0 {
            return;
        }
        self.words += 1;
        self.last_word = word;
        match word {
            ".entry" => self.kind = Some(ItemKind::Kernel),
            ".func" => self.kind = Some(ItemKind::Function),
            _ => self.is_variable |= words::is_state_space(word) && self.kind.is_none(),
        }
    }

    pub(super) fn name(&mut self, range: Range<usize>) {
        if self.parens == 0 && self.name.is_none() {
            self.name = Some(range);
        }
    }

    pub(super) fn mark(&mut self, mark: u8) {
        match mark {
            b'(' => self.parens += 1,
            b')' => self.parens = self.parens.saturating_sub(1),
            b'=' => self.has_value = true,
            _ => {}
        }
    }

    pub(super) fn item_kind(&self) -> ItemKind {
        match self.kind {
            Some(kind) => kind,
            None if self.is_variable => ItemKind::Variable,
            None => ItemKind::Directive,
        }
    }
}
