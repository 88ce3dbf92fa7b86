//! Julia: `@asmcall("…", "=r,r", true, UInt32, Tuple{UInt32}, x)` of LLVM.jl.

mod lexer;
mod literal;

use std::ops::Range;

use crate::assembly::{Context, is_ptx};
use crate::llvm;
use crate::statement::{Denial, Dialect, Place, Statement};
use crate::template::Template;
use crate::tokens::{Budget, Kind, Token, arguments, depth_after, group_end, span};
use lexer::lex;

pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let tokens = lex(text);
    let context = if text.contains("CUDA") { Context::Gpu } else { Context::Unknown };
    let mut function = 0;
    let mut found = Vec::new();
    let mut budget = Budget::new(tokens.len());
    for (at, pair) in tokens.windows(2).enumerate() {
        if pair[0].text(text) == "function" {
            function = at;
        }
        let is_call = pair[0].is(b'@') && pair[1].text(text) == "asmcall";
        if is_call && budget.spend(|| group_end(&tokens, (at + 2).min(tokens.len())) - at) {
            found.extend(statement(text, &tokens, at, function, context));
        }
    }
    found
}

fn statement(
    text: &str,
    tokens: &[Token],
    at: usize,
    function: usize,
    context: Context,
) -> Option<Statement> {
    let (parts, end) = parts(text, tokens, at)?;
    let template = literal::text_of(text, parts.first()?);
    if template.text.trim().is_empty() {
        return None;
    }
    let constraint_tokens =
        parts.get(1).copied().filter(|part| part.first().is_some_and(|token| token.kind == Kind::String));
    let constraints = constraint_tokens.map_or(Template::default(), |part| literal::text_of(text, part));
    let effects = parts
        .get(2)
        .filter(|part| matches!(part[..], [token] if matches!(token.text(text), "true" | "false")));
    let values = parts.iter().skip(2 + 2 + usize::from(effects.is_some()));
    let values: Vec<_> = values.collect();
    // `values...`, and operators between values without parentheses.
    let is_plain = tokens[at + 2].is(b'(')
        && values.iter().all(|value| !value.is_empty() && !value[value.len() - 1].is(b'.'));
    let values: Vec<_> =
        values.into_iter().map(|part| span(part).map(|range| text[range].to_owned())).collect();
    let (operands, clobbers) = llvm::operands(&constraints, &values);
    if !is_ptx(&template, Dialect::Llvm, &operands, context) {
        return None;
    }
    let keyword = tokens[at].start..tokens[at + 1].end;
    let denial = denial(text, effects.map(|part| span(part)), &keyword);
    Some(Statement {
        volatile: denial.is_none(),
        denial,
        knows_operands: constraints.holes() == 0,
        operands,
        clobbers,
        constraints: constraint_tokens.and_then(span),
        arguments: is_plain.then_some(values.len()),
        place: Place { function: function + 1, block: at + 1, ..Place::default() },
        ..Statement::new(keyword, tokens[end - 1].end, Dialect::Llvm, template)
    })
}

/// The arguments of the macro, and the end of the call. Without parentheses, they end with their line.
fn parts<'t>(text: &str, tokens: &'t [Token], at: usize) -> Option<(Vec<&'t [Token]>, usize)> {
    let open = at + 2;
    let first = tokens.get(open)?;
    if first.is(b'(') && first.start == tokens[at + 1].end {
        let end = group_end(tokens, open);
        return Some((arguments(tokens.get(open + 1..end - 1)?), end));
    }
    let line = crate::text::line_end(text.as_bytes(), first.start);
    let belongs = |token: &&Token| token.start < line || token.kind == Kind::String;
    let end = open + tokens[open..].iter().take_while(belongs).count();
    Some((separated(&tokens[open..end]), end))
}

/// The parts between white space outside of brackets.
fn separated(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let continues = |before: &Token, after: &Token| {
        depth = depth_after(before, depth);
        depth > 0 || before.end == after.start
    };
    tokens.chunk_by(continues).collect()
}

/// Why the assembly has no side effects. `effects` is the range of the argument about them.
fn denial(text: &str, effects: Option<Option<Range<usize>>>, keyword: &Range<usize>) -> Option<Denial> {
    let Some(effects) = effects else {
        // The short forms of the macro have no side effects.
        return Some(Denial {
            range: keyword.clone(),
            text: "`@asmcall` without an argument about side effects".to_owned(),
            remedy: "write `true` after the constraints".to_owned(),
        });
    };
    let range = effects.filter(|range| &text[range.clone()] == "false")?;
    Some(Denial { range, text: "the argument `false`".to_owned(), remedy: "write `true`".to_owned() })
}
