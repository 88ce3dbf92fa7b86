//! The arguments of `asm!` and `ptx_asm!` after the text.

use std::ops::Range;

use super::literal;
use crate::statement::{Dialect, Direction, Operand};
use crate::template::Template;
use crate::tokens::{Kind, Token, arguments, group_end, span, trimmed};

pub(super) enum Argument {
    Operand(Operand),
    Options(Vec<(String, Range<usize>)>),
    Clobbers(Vec<(String, Range<usize>)>),
    /// Neither an operand nor of interest.
    Other,
    /// A macro may stand for any number of operands.
    Unknown,
}

pub(super) fn read(source: &str, tokens: &[Token], dialect: Dialect) -> Argument {
    let (name, rest) = match tokens {
        [name, equals, rest @ ..] if name.kind == Kind::Name && equals.is(b'=') => {
            (Some(name.text(source).to_owned()), rest)
        }
        _ => (None, tokens),
    };
    let [word, open, ..] = rest else { return Argument::Unknown };
    let Some(range) = span(tokens) else { return Argument::Unknown };
    let operand = |direction, constraint: String, expression: String| {
        let expression = Some(expression);
        Argument::Operand(Operand {
            direction,
            constraint,
            name: name.clone(),
            expression,
            range: range.clone(),
        })
    };
    let value = |from: usize| trimmed(source, from..range.end).to_owned();
    let direction = match word.text(source) {
        "in" => Direction::Input,
        "out" | "lateout" => Direction::Output,
        "inout" | "inlateout" => Direction::Both,
        "const" | "sym" => return operand(Direction::Input, word.text(source).to_owned(), value(word.end)),
        "options" => return Argument::Options(words(source, rest)),
        "clobber_abi" | "label" => return Argument::Other,
        "clobber" => return Argument::Clobbers(words(source, rest)),
        _ => return Argument::Unknown,
    };
    if !open.is(b'(') {
        return Argument::Unknown;
    }
    let end = group_end(rest, 1);
    let Some(class) = rest.get(2..end - 1).filter(|class| !class.is_empty()) else {
        return Argument::Unknown;
    };
    let mut constraint = Template::default();
    match class[0].kind {
        Kind::String => literal::decode(source, class[0], &mut constraint),
        Kind::Name if dialect == Dialect::Rust => constraint.copy(class[0].text(source), class[0].start),
        _ => {}
    }
    let expression = value(rest[end - 1].end);
    operand(direction, constraint.text, expression)
}

/// The words in the parentheses after the first token, with the strings decoded.
fn words(source: &str, tokens: &[Token]) -> Vec<(String, Range<usize>)> {
    let end = group_end(tokens, 1);
    let inside = tokens.get(2..end.saturating_sub(1)).unwrap_or_default();
    let word = |argument: &[Token]| {
        let range = span(argument)?;
        let mut text = Template::default();
        match argument[0].kind {
            Kind::String => literal::decode(source, argument[0], &mut text),
            _ => text.copy(&source[range.clone()], range.start),
        }
        Some((text.text, range))
    };
    arguments(inside).into_iter().filter_map(word).collect()
}
