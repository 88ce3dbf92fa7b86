//! Lists between commas, and template arguments.

use std::ops::Range;

use crate::tokens::{Kind, Token, group_end};

/// The most tokens of a launch or an initial value: longer ones are not read, so that nested ones take no more than linear work.
pub(super) const MOST: usize = 512;

/// The tokens inside the bracket at `open`; `None` if it is not closed soon.
pub(super) fn inside(tokens: &[Token], open: usize) -> Option<Range<usize>> {
    let opens = |token: &Token| matches!(token.kind, Kind::Punctuation(b'(' | b'[' | b'{'));
    tokens.get(open).filter(|token| opens(token))?;
    let near = &tokens[..tokens.len().min(open + MOST)];
    let end = group_end(near, open);
    let is_closed = matches!(near[end - 1].kind, Kind::Punctuation(b')' | b']' | b'}'));
    (is_closed && end > open + 1).then_some(open + 1..end - 1)
}

/// The `<` of the template arguments that end at `close`.
pub(super) fn template_start(tokens: &[Token], close: usize) -> Option<usize> {
    let (mut depth, mut brackets) = (0usize, 0usize);
    for at in (close.saturating_sub(MOST)..=close).rev() {
        match tokens[at].kind {
            Kind::Punctuation(b')' | b']') => brackets += 1,
            Kind::Punctuation(b'(' | b'[') => brackets = brackets.checked_sub(1)?,
            Kind::Punctuation(b';' | b'{' | b'}') => return None,
            Kind::Punctuation(b'>') if brackets == 0 => depth += 1,
            Kind::Punctuation(b'<') if brackets == 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between commas that are outside of brackets and template arguments; none if there is no token.
pub(super) fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut template_end) = (0usize, 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            Kind::Punctuation(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            Kind::Punctuation(b'<') if at >= template_end => {
                template_end = called_template_end(tokens, at).unwrap_or(template_end);
            }
            Kind::Punctuation(b',') if depth == 0 && at >= template_end => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !tokens.is_empty() {
        parts.push(&tokens[start..]);
    }
    parts
}

/// The end of the template arguments that open at `open`, if a call, braces or a member follows: `max<int, 2>(…)`.
fn called_template_end(tokens: &[Token], open: usize) -> Option<usize> {
    let before = tokens.get(open.checked_sub(1)?)?;
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open).take(64) {
        match token.kind {
            Kind::Punctuation(b'<') => depth += 1,
            Kind::Punctuation(b'>') => {
                depth -= 1;
                if depth == 0 {
                    let follows = tokens
                        .get(at + 1)
                        .is_some_and(|next| next.is(b'(') || next.is(b'{') || next.is(b':'));
                    return (follows && before.kind == Kind::Name).then_some(at + 1);
                }
            }
            Kind::Punctuation(b'(' | b')' | b'&' | b'|' | b';') => return None,
            _ => {}
        }
    }
    None
}
