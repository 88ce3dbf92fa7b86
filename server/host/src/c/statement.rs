//! One statement: `asm volatile("…" : outputs : inputs : clobbers)`.

use std::ops::Range;

use super::choices::Choices;
use super::lexer::Lexer;
use super::literal;
use super::scopes::Position;
use crate::statement::{Denial, Dialect, Direction, Operand, Reading, Statement};
use crate::template::Template;
use crate::tokens::{Kind, Token, group_end, parts, trimmed};

/// Parses what follows the keyword. `None`, with nothing read, if it is no statement.
///
/// Also returns how much text was read.
pub(super) fn parse(lexer: &mut Lexer<'_>, keyword: Token, position: Position) -> (Option<Statement>, usize) {
    let mark = lexer.mark();
    let start = lexer.clone();
    let mut statement = read(lexer, keyword, position, Vec::new());
    if let Some(statement) = &mut statement {
        statement.readings = readings(&start, lexer, keyword, position);
    }
    let read = lexer.mark().0.abs_diff(mark.0);
    if statement.is_none() {
        lexer.reset(mark);
        lexer.resume();
    }
    (statement, read)
}

fn read(
    lexer: &mut Lexer<'_>,
    keyword: Token,
    position: Position,
    branches: Vec<usize>,
) -> Option<Statement> {
    lexer.choices = Choices::new(branches);
    lexer.start_statement();
    let statement = parse_statement(lexer, keyword, position);
    lexer.end_statement();
    statement
}

/// Reads the statement that `start` is before with the other branches of the conditions that `lexer` met in it.
fn readings(
    start: &Lexer<'_>,
    lexer: &Lexer<'_>,
    keyword: Token,
    position: Position,
) -> Option<Vec<Reading>> {
    let mut found = Vec::new();
    for branches in lexer.choices.others()? {
        let mut lexer = start.clone();
        let statement = read(&mut lexer, keyword, position, branches);
        let branches = lexer.choices.branches();
        // Conditions inside branches depend on those around them.
        let is_known = found.iter().any(|known: &Reading| known.branches == branches);
        found.extend(statement.filter(|_| !is_known).map(|statement| Reading { branches, statement }));
    }
    Some(found)
}

fn parse_statement(lexer: &mut Lexer<'_>, keyword: Token, position: Position) -> Option<Statement> {
    let mut volatile = false;
    let mut qualified = false;
    loop {
        let token = lexer.next()?;
        match (token.kind, lexer.text(token)) {
            (Kind::Name, "volatile" | "__volatile__" | "__volatile") => (volatile, qualified) = (true, true),
            (Kind::Name, "inline" | "__inline__" | "__inline" | "goto" | "const") => qualified = true,
            (Kind::Punctuation(b'('), _) => break,
            _ => return None,
        }
    }
    let (tokens, end) = tokens(lexer)?;
    let source = lexer.source;
    let sections = parts(&tokens, b':');
    let has_placeholders = sections.len() > 1;
    // The name of a declaration, or assembly of the file.
    if !has_placeholders && (!position.is_start && !qualified || position.is_outside) {
        return None;
    }
    let template = template(source, sections[0]);
    let mut operands = Vec::new();
    let mut knows_operands = true;
    for (section, direction) in sections.iter().skip(1).zip([Direction::Output, Direction::Input]) {
        knows_operands &= read_operands(source, section, direction, &mut operands);
    }
    let has_outputs = operands.iter().any(|operand| operand.direction != Direction::Input);
    let is_implicit = !has_outputs && knows_operands;
    let keyword = keyword.start..keyword.end;
    let denial = Denial {
        range: keyword.clone(),
        text: "the statement without `volatile`".to_owned(),
        remedy: "write `asm volatile`".to_owned(),
    };
    let clobbers = sections.get(3).map_or(&[][..], |section| section);
    let clobbers = clobbers.iter().filter(|token| token.kind == Kind::String).map(|token| {
        let mut text = Template::default();
        literal::decode(source, token.start, token.end, &mut text);
        (text.text, token.start..token.end)
    });
    Some(Statement {
        volatile,
        denial: (!volatile && !is_implicit).then_some(denial),
        operands,
        knows_operands,
        has_placeholders,
        clobbers: clobbers.collect(),
        place: position.place,
        ..Statement::new(keyword, end, Dialect::Gcc, template)
    })
}

/// The tokens up to the closing parenthesis, and its end. `None` if the file or the macro ends before.
fn tokens(lexer: &mut Lexer<'_>) -> Option<(Vec<Token>, usize)> {
    let mut tokens = Vec::new();
    let mut depth = 0usize;
    loop {
        let token = lexer.next()?;
        match token.kind {
            Kind::MacroStart | Kind::MacroEnd => return None,
            Kind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            Kind::Punctuation(b')') if depth == 0 => return Some((tokens, token.end)),
            Kind::Punctuation(b')' | b']' | b'}') => depth = depth.checked_sub(1)?,
            // The statement was never closed.
            Kind::Punctuation(b';') if depth == 0 => return None,
            _ => {}
        }
        tokens.push(token);
    }
}

/// The text of literals side by side. Everything else is a hole: a macro with its arguments, `#x`.
fn template(source: &str, tokens: &[Token]) -> Template {
    let mut template = Template::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::String {
            literal::decode(source, token.start, token.end, &mut template);
            at += 1;
            continue;
        }
        let mut end = at + 1;
        if matches!(token.kind, Kind::Punctuation(b'#')) {
            end += 1;
        }
        if tokens.get(end).is_some_and(|token| token.kind == Kind::Punctuation(b'(')) {
            end = group_end(tokens, end);
        }
        let end = end.min(tokens.len());
        template.hole(token.start..tokens[end - 1].end);
        at = end;
    }
    template
}

/// Reads operands, between which commas may be missing, as nvcc accepts it. Returns whether these are all.
fn read_operands(source: &str, tokens: &[Token], direction: Direction, operands: &mut Vec<Operand>) -> bool {
    let (mut at, mut knows_all) = (0, true);
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Punctuation(b',') {
            at += 1;
            continue;
        }
        let first = at;
        let mut name = None;
        if token.kind == Kind::Punctuation(b'[') {
            let end = group_end(tokens, at);
            name = Some(trimmed(source, token.end..tokens[end - 1].start.max(token.end)).to_owned());
            at = end;
        }
        let mut constraint = Template::default();
        while let Some(token) =
            tokens.get(at).filter(|token| !matches!(token.kind, Kind::Punctuation(b'(' | b',')))
        {
            match token.kind {
                Kind::String => literal::decode(source, token.start, token.end, &mut constraint),
                _ => constraint.hole(token.start..token.end),
            }
            at += 1;
        }
        let Some(open) = tokens.get(at).filter(|token| token.kind == Kind::Punctuation(b'(')) else {
            return false;
        };
        let end = group_end(tokens, at);
        at = end;
        // A macro may stand for any number of operands.
        knows_all &= constraint.text.chars().any(|c| c != Template::HOLE);
        let close = tokens[end - 1];
        operands.push(operand(
            source,
            tokens[first].start..close.end,
            open.end..close.start,
            name,
            &constraint,
            direction,
        ));
    }
    knows_all
}

fn operand(
    source: &str,
    range: Range<usize>,
    expression: Range<usize>,
    name: Option<String>,
    constraint: &Template,
    direction: Direction,
) -> Operand {
    let is_known = constraint.holes() == 0;
    let is_both = direction == Direction::Output && constraint.text.starts_with('+');
    let direction = if is_both { Direction::Both } else { direction };
    Operand {
        direction,
        constraint: if is_known { constraint.text.trim().to_owned() } else { String::new() },
        name,
        expression: Some(trimmed(source, expression).to_owned()),
        range,
    }
}
