//! Lowers the lines of data sections.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_syntax::{Node, SyntaxKind, Token};

use super::operand;
use crate::sass::section::{Datum, DatumValue, Expression, Section};

/// Adds a line of data: `/*0010*/ .word 0x00000000, k`, `.zero 16`, `.align 4`.
pub(super) fn line(section: &mut Section, node: Node<'_>) {
    // Nothing reads debug information, and there is a lot of it.
    if section.name.starts_with(".debug_") || section.name.starts_with(".nv_debug") {
        return;
    }
    let mut tokens = node.tokens().peekable();
    if let Some(address) = tokens.next_if(|token| token.kind == SyntaxKind::ADDRESS_COMMENT) {
        let digits = address.text.trim_start_matches("/*").trim_end_matches("*/");
        // Some tools print wrong addresses.
        if let Ok(offset) = u32::from_str_radix(digits, 16) {
            section.size = section.size.max(offset.min(section.size.saturating_add(LARGEST_GAP)));
        }
    }
    let Some(directive) = tokens.next() else { return };
    let rest: Vec<Token<'_>> = tokens.collect();
    let size = match directive.word() {
        "byte" => 1,
        "short" => 2,
        "word" => 4,
        "dword" => 8,
        "zero" | "skip" | "space" => return zeros(section, &rest),
        "string" => return text(section, &rest),
        "align" => return align(section, &rest),
        _ => return,
    };
    for value in values(&rest) {
        let range = value[0].range().cover(value[value.len() - 1].range());
        push(section, size, self::value(value), range);
    }
}

/// The maximum distance between two data. An address comment beyond it is not trusted.
const LARGEST_GAP: u32 = 1 << 20;

fn push(section: &mut Section, size: u32, value: DatumValue, range: TextRange) {
    let offset = section.size;
    let Some(end) = offset.checked_add(size).filter(|end| *end <= 1 << 28) else { return };
    section.data.push(Datum { offset, size, value, range });
    section.size = end;
}

/// The parts between commas.
fn values<'t, 's>(tokens: &'s [Token<'t>]) -> impl Iterator<Item = &'s [Token<'t>]> {
    tokens.split(|token| token.kind == SyntaxKind::COMMA).filter(|value| !value.is_empty())
}

fn value(tokens: &[Token<'_>]) -> DatumValue {
    match tokens {
        [token] if token.kind == SyntaxKind::INT_NUMBER => {
            DatumValue::Number(operand::integer(token.text).unwrap_or_default())
        }
        [minus, token] if minus.kind == SyntaxKind::MINUS && token.kind == SyntaxKind::INT_NUMBER => {
            let number = operand::integer(token.text).unwrap_or_default();
            DatumValue::Number(number.wrapping_neg())
        }
        _ => DatumValue::Expression(expression(tokens)),
    }
}

/// `.L_x_4@srel`, `(.L_17 - .L_16)`, `index@(k)`, `fun@R_CUDA_G64((arr + 0x8))`. An operator word comes
/// before a parenthesis or after a symbol's `@`.
fn expression(tokens: &[Token<'_>]) -> Expression {
    let mut found = Expression::default();
    let mut operators: Vec<&str> = Vec::new();
    let mut negative = false;
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1).map(|token| token.kind);
        let after_at = index > 0 && tokens[index - 1].kind == SyntaxKind::AT;
        let before_parenthesis = next == Some(SyntaxKind::AT)
            && tokens.get(index + 2).is_some_and(|token| is_call(token, tokens, index + 2));
        match token.kind {
            SyntaxKind::MINUS => negative = true,
            SyntaxKind::INT_NUMBER => {
                found.addend = found.addend.wrapping_add(operand::signed(token.text, &mut negative));
            }
            SyntaxKind::IDENT if after_at || before_parenthesis => operators.push(token.text),
            SyntaxKind::IDENT if negative => {
                found.minus = Some(token.text.into());
                negative = false;
            }
            SyntaxKind::IDENT if found.symbol.is_empty() => found.symbol = token.text.into(),
            _ => {}
        }
    }
    found.operator = SmolStr::from(operators.join(" "));
    found
}

/// Whether the token after an `@` is a parenthesis, or a word before one.
fn is_call(token: &Token<'_>, tokens: &[Token<'_>], index: usize) -> bool {
    let opens = |index: usize| tokens.get(index).is_some_and(|token| token.kind == SyntaxKind::L_PAREN);
    token.kind == SyntaxKind::L_PAREN || opens(index + 1)
}

fn zeros(section: &mut Section, tokens: &[Token<'_>]) {
    let Some(count) = tokens.first() else { return };
    let size = operand::integer(count.text).and_then(|count| u32::try_from(count).ok());
    push(section, size.unwrap_or_default(), DatumValue::Zeros, count.range());
}

fn text(section: &mut Section, tokens: &[Token<'_>]) {
    let Some(token) = tokens.first().filter(|token| token.kind == SyntaxKind::STRING) else { return };
    let text = unescaped(token.text.trim_matches('"'));
    let size = TextSize::of(text.as_str()) + TextSize::new(1);
    push(section, size.into(), DatumValue::Text(text), token.range());
}

/// The text of a string after replacing the escapes `\n`, `\t`, `\"` and `\\`.
fn unescaped(text: &str) -> SmolStr {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, if char == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some(other)) => out.push(other),
            (char, _) => out.push(char),
        }
    }
    out.into()
}

fn align(section: &mut Section, tokens: &[Token<'_>]) {
    let alignment = tokens.first().and_then(|token| operand::integer(token.text));
    let alignment = alignment.and_then(|alignment| u32::try_from(alignment).ok());
    if let Some(alignment) =
        alignment.filter(|alignment| alignment.is_power_of_two() && *alignment <= 1 << 16)
    {
        section.size = section.size.next_multiple_of(alignment);
    }
}
