//! Mojo: `inlined_assembly[…](…)`. Its literals are those of Python.

use crate::assembly::{Context, is_ptx};
use crate::llvm;
use crate::python::lexer::lex;
use crate::python::strings::Source;
use crate::statement::{Denial, Dialect, Statement};
use crate::template::Template;
use crate::tokens::{Budget, Kind, Token, arguments, group_end, span};

pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let tokens = lex(text);
    let source = Source::new(text, &tokens);
    let calls = tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Name);
    let calls = calls.filter(|(_, token)| token.text(text) == "inlined_assembly");
    let mut budget = Budget::new(tokens.len());
    let affordable = calls.filter(|(at, _)| budget.spend(|| group_end(&tokens, at + 1) - at));
    affordable.filter_map(|(at, _)| statement(&source, at)).collect()
}

fn statement(source: &Source<'_>, at: usize) -> Option<Statement> {
    let (text, tokens) = (source.text, source.tokens);
    tokens.get(at + 1).filter(|open| open.is(b'['))?;
    let close = group_end(tokens, at + 1);
    let parameters = arguments(tokens.get(at + 2..close - 1)?);
    let named = |name: &str| {
        let mut found = parameters.iter().filter(|parameter| {
            parameter[0].text(text) == name && parameter.get(1).is_some_and(|token| token.is(b'='))
        });
        found.next().map(|parameter| (&parameter[2..], *parameter))
    };
    if parameters.iter().any(|parameter| parameter.is_empty()) {
        return None;
    }
    let assembly = named("asm").map_or(*parameters.first()?, |(value, _)| value);
    let template = source.text_of(assembly, at);
    if template.text.trim().is_empty() {
        return None;
    }
    let constraint_tokens: &[Token] = named("constraints").map_or(&[], |(value, _)| value);
    let constraints = match constraint_tokens {
        [] => Template::default(),
        tokens => source.text_of(tokens, at),
    };
    let end =
        if tokens.get(close).is_some_and(|open| open.is(b'(')) { group_end(tokens, close) } else { close };
    let values = arguments(tokens.get(close + 1..end - 1).unwrap_or_default());
    let is_plain = end > close && values.iter().all(|value| !value.is_empty() && !value[0].is(b'*'));
    let values: Vec<_> = values.iter().map(|value| span(value).map(|range| text[range].to_owned())).collect();
    let (operands, clobbers) = llvm::operands(&constraints, &values);
    if !is_ptx(&template, Dialect::Llvm, &operands, Context::Unknown) {
        return None;
    }
    let effects = named("has_side_effect").or_else(|| named("has_side_effects"));
    let denial = effects.and_then(|(value, whole)| denial(text, value, whole));
    let keyword = tokens[at].start..tokens[at].end;
    Some(Statement {
        volatile: denial.is_none(),
        denial,
        knows_operands: constraints.holes() == 0 && !constraint_tokens.is_empty(),
        operands,
        clobbers,
        constraints: span(constraint_tokens),
        arguments: is_plain.then_some(values.len()),
        place: source.place(at),
        ..Statement::new(keyword, tokens[end - 1].end, Dialect::Llvm, template)
    })
}

/// `has_side_effect=False`, whose value is `value`.
fn denial(text: &str, value: &[Token], whole: &[Token]) -> Option<Denial> {
    value.first().filter(|token| token.text(text) == "False")?;
    let range = span(whole)?;
    Some(Denial {
        text: format!("`{}`", &text[range.clone()]),
        range,
        remedy: "write `has_side_effect=True`".to_owned(),
    })
}
