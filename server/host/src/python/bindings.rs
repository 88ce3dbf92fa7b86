//! What binds the names of a Python file: definitions, parameters, and assignments.

use super::strings::Source;
use crate::tokens::{Token, arguments, depth_after, group_end};

impl<'t> Source<'t> {
    /// The word at an index; empty after the last one.
    pub(super) fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text(self.text))
    }

    /// The `def` of the only function with this name.
    pub(super) fn definition(&self, name: &str) -> Option<usize> {
        let mut found = self.uses(name).iter().filter(|at| **at > 0 && self.word(**at - 1) == "def");
        let first = found.next()?;
        found.next().is_none().then_some(first - 1)
    }

    /// The decorators of the function whose `def` is at an index, without `@`.
    pub(super) fn decorators(&self, definition: usize) -> Vec<&'t [Token]> {
        let mut found = Vec::new();
        let mut end = definition;
        while end > 0 && self.tokens[self.start(end - 1)].is(b'@') {
            let start = self.start(end - 1);
            found.push(&self.tokens[start + 1..end]);
            end = start;
        }
        found
    }

    /// The parameters of the function whose `def` is at an index; `None` if some of them are starred.
    pub(super) fn parameters(&self, definition: usize) -> Option<Vec<&'t [Token]>> {
        let end = group_end(self.tokens, definition + 2);
        let list = arguments(self.tokens.get(definition + 3..end.checked_sub(1)?)?);
        list.iter().all(|parameter| !parameter.is_empty() && !parameter[0].is(b'*')).then_some(list)
    }

    /// The expression that a function returns, if it does nothing else.
    pub(super) fn only_return(&self, definition: usize) -> Option<&'t [Token]> {
        let end = self.block_end(definition);
        let header = group_end(self.tokens, definition + 2);
        let colon = (header..end).find(|at| self.tokens[*at].is(b':'))?;
        let returned = self.statement(colon + 2);
        (self.word(colon + 1) == "return" && colon + 2 + returned.len() == end).then_some(returned)
    }

    /// The first token of the value of a name at a token: that of the only assignment in the function around it, or else in the file. `None` if
    /// anything else may bind the name.
    pub(super) fn only_value(&self, name: &str, at: usize) -> Option<usize> {
        let mut owner = self.owner(at);
        loop {
            let is_global = |at: &usize| matches!(self.word(at.wrapping_sub(1)), "global" | "nonlocal");
            let uses = self.uses(name);
            if uses.iter().any(is_global) {
                return None;
            }
            let own = uses.iter().filter(|at| self.owner(**at) == owner);
            let mut bound = own.filter_map(|at| self.binding(*at));
            match (bound.next(), bound.next()) {
                (None, _) => {}
                (Some(only), None) => return only,
                _ => return None,
            }
            // The body of a class is no scope of its functions.
            owner = self.owner(owner?);
            while let Some(class) = owner.filter(|owner| self.word(*owner) == "class") {
                owner = self.owner(class);
            }
        }
    }

    /// Whether the use of a name at an index binds it: the first token of its value, or `None` if it has another one.
    fn binding(&self, at: usize) -> Option<Option<usize>> {
        let before = self.word(at.wrapping_sub(1));
        let first = self.start(at);
        let is_parameter =
            self.word(first) == "def" && (first + 2..group_end(self.tokens, first + 2)).contains(&at);
        if matches!(before, "for" | "as" | "import" | "del" | "def" | "class") || is_parameter {
            return Some(None);
        }
        let statement = self.statement(first);
        let word = self.word(first);
        if word == "for" {
            // `for a, name in …`
            let is_target = self.tokens[first..at].iter().all(|token| token.text(self.text) != "in");
            return is_target.then_some(None);
        }
        let has = |at: usize, byte: u8| self.tokens.get(at).is_some_and(|token| token.is(byte));
        if at != first && has(at + 1, b':') && has(at + 2, b'=') {
            return Some(None);
        }
        let mut depth = 0;
        let is_equals = |(offset, token): &(usize, &Token)| {
            depth = depth_after(token, depth);
            depth == 0 && token.is(b'=') && !has(first + offset + 1, b'=') && !has(first + offset - 1, b'=')
        };
        let equals = statement.iter().enumerate().skip(1).find(is_equals).map(|(offset, _)| first + offset);
        let equals = equals.filter(|equals| {
            at < *equals && !matches!(word, "if" | "elif" | "while" | "assert" | "return")
        })?;
        let targets = &self.tokens[first..equals];
        let is_plain = at == first && (equals == at + 1 || has(at + 1, b':'));
        let is_chain = has(equals + 2, b'=') && !has(equals + 3, b'=');
        if is_plain && !is_chain {
            return Some(Some(equals + 1));
        }
        // `name[0] = …` and `f(name).x = …` bind nothing.
        let is_list = targets.iter().any(|token| token.is(b',') || token.is(b'*'));
        let is_updated = at == first && targets.iter().all(|token| !token.is(b'[') && !token.is(b'.'));
        (is_chain || is_list || is_updated).then_some(None)
    }
}
