//! The calls that have inline assembly.

use std::ops::Range;

use super::strings::Source;
use crate::assembly::{Context, is_ptx};
use crate::llvm;
use crate::statement::{Denial, Dialect, Operand, Pack, Statement};
use crate::template::Template;
use crate::tokens::{Budget, Kind, Token, arguments, group_end, span};

pub(super) fn statements(text: &str, tokens: &[Token]) -> Vec<Statement> {
    let source = Source::new(text, tokens);
    let mut found = Vec::new();
    let mut budget = Budget::new(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let api = match token.text(text) {
            "inline_asm_elementwise" => &TRITON,
            "inline_asm" => &CUTE,
            "InlineAsm" => &LLVMLITE,
            _ => continue,
        };
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is(b'('));
        let is_definition = at > 0 && matches!(tokens[at - 1].text(text), "def" | "class");
        if token.kind == Kind::Name
            && is_call
            && !is_definition
            && budget.spend(|| group_end(tokens, at + 1) - at)
        {
            found.extend(statement(&source, at, api));
        }
    }
    found
}

/// How a function takes its arguments: for each, its names and its position.
struct Api {
    dialect: Dialect,
    assembly: (&'static [&'static str], usize),
    constraints: (&'static [&'static str], usize),
    values: (&'static [&'static str], usize),
    /// The argument about side effects, the value that denies them, and whether it is the default.
    effects: (&'static [&'static str], usize),
    denial: &'static str,
    denies_by_default: bool,
}

const NOWHERE: usize = usize::MAX;

const TRITON: Api = Api {
    dialect: Dialect::Triton,
    assembly: (&["asm", "asm_str", "asm_string"], 0),
    constraints: (&["constraints"], 1),
    values: (&["args"], 2),
    effects: (&["is_pure"], 4),
    denial: "True",
    denies_by_default: false,
};

const CUTE: Api = Api {
    dialect: Dialect::Cute,
    assembly: (&["asm_string"], 2),
    constraints: (&["constraints"], 3),
    values: (&["operands_", "operands"], 1),
    effects: (&["has_side_effects"], NOWHERE),
    denial: "False",
    denies_by_default: true,
};

const LLVMLITE: Api = Api {
    dialect: Dialect::Llvm,
    assembly: (&["asm"], 1),
    constraints: (&["constraint"], 2),
    values: (&[], NOWHERE),
    effects: (&["side_effect"], 3),
    denial: "False",
    denies_by_default: true,
};

/// The arguments of a call.
struct Arguments<'t> {
    text: &'t str,
    positional: Vec<&'t [Token]>,
    named: Vec<(&'t str, &'t [Token], &'t [Token])>,
}

impl<'t> Arguments<'t> {
    fn new(text: &'t str, tokens: &'t [Token]) -> Arguments<'t> {
        let mut found = Arguments { text, positional: Vec::new(), named: Vec::new() };
        for argument in arguments(tokens) {
            match argument {
                [name, equals, value @ ..]
                    if name.kind == Kind::Name
                        && equals.is(b'=')
                        && !value.first().is_some_and(|token| token.is(b'=')) =>
                {
                    found.named.push((name.text(text), value, argument));
                }
                _ => found.positional.push(argument),
            }
        }
        found
    }

    /// The value of an argument, and the argument with its name.
    fn get(&self, (names, position): (&[&str], usize)) -> Option<(&'t [Token], &'t [Token])> {
        let named = self.named.iter().find(|(name, ..)| names.contains(name));
        let named = named.map(|(_, value, whole)| (*value, *whole));
        named.or_else(|| self.positional.get(position).map(|argument| (*argument, *argument)))
    }

    /// Whether `*values` or `**values` may give further arguments.
    fn has_unpacked(&self) -> bool {
        self.positional.iter().any(|argument| argument.first().is_some_and(|token| token.is(b'*')))
    }

    fn word(&self, which: (&[&str], usize)) -> Option<&'t str> {
        Some(&self.text[span(self.get(which)?.0)?])
    }
}

/// Why a call has no side effects: an argument, or its default.
fn denial(text: &str, api: &Api, keyword: &Range<usize>, argument: Option<Range<usize>>) -> Denial {
    let opposite = if api.denial == "True" { "False" } else { "True" };
    let wanted = format!("`{}={opposite}`", api.effects.0[0]);
    match argument {
        Some(range) if text[range.clone()].contains('=') => {
            Denial { text: format!("`{}`", &text[range.clone()]), range, remedy: format!("write {wanted}") }
        }
        Some(range) => {
            let text = format!("the argument `{}` for `{}`", &text[range.clone()], api.effects.0[0]);
            Denial { range, text, remedy: format!("write `{opposite}`") }
        }
        None => {
            let text = format!("`{}` without {wanted}", &text[keyword.clone()]);
            Denial { range: keyword.clone(), text, remedy: format!("add {wanted}") }
        }
    }
}

fn statement(source: &Source<'_>, at: usize, api: &Api) -> Option<Statement> {
    let (text, tokens) = (source.text, source.tokens);
    let end = group_end(tokens, at + 1);
    let arguments = Arguments::new(text, tokens.get(at + 2..end - 1)?);
    let template = source.text_of(arguments.get(api.assembly)?.0, at);
    if template.text.trim().is_empty() {
        return None;
    }
    let (constraints, constraint_tokens) = match arguments.get(api.constraints) {
        Some((tokens, _)) => (source.text_of(tokens, at), tokens),
        None => (Template::default(), &[][..]),
    };
    let values = arguments.get(api.values).and_then(|(tokens, _)| list(text, tokens));
    let inputs = inputs(&constraints);
    let matching = values.as_ref().filter(|values| values.len() == inputs);
    let expressions: Vec<_> = matching.into_iter().flatten().map(|value| Some(value.clone())).collect();
    let (operands, clobbers) = llvm::operands(&constraints, &expressions);
    if !is_ptx(&template, api.dialect, &operands, context(api.dialect)) {
        return None;
    }
    let effects = arguments.get(api.effects);
    let denies = match effects {
        Some(_) => arguments.word(api.effects) == Some(api.denial),
        None => api.denies_by_default && !arguments.has_unpacked(),
    };
    let keyword = tokens[at].start..tokens[at].end;
    let denial = denies.then(|| denial(text, api, &keyword, effects.and_then(|(_, whole)| span(whole))));
    let knows_operands = constraints.holes() == 0 && !constraint_tokens.is_empty();
    Some(Statement {
        volatile: !denies,
        denial,
        operands: if knows_operands { operands } else { unknown_types(operands) },
        knows_operands,
        clobbers,
        constraints: span(constraint_tokens),
        arguments: values.map(|values| values.len()),
        pack: pack(&arguments, api),
        place: source.place(at),
        ..Statement::new(keyword, tokens[end - 1].end, api.dialect, template)
    })
}

fn context(dialect: Dialect) -> Context {
    if dialect == Dialect::Llvm { Context::Unknown } else { Context::Gpu }
}

fn unknown_types(mut operands: Vec<Operand>) -> Vec<Operand> {
    for operand in &mut operands {
        if operand.constraint.contains(Template::HOLE) {
            operand.constraint.clear();
        }
    }
    operands
}

fn inputs(constraints: &Template) -> usize {
    let parts = constraints.text.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty() && !part.starts_with(['=', '~', '+'])).count()
}

/// The elements of a list or tuple; `None` if it is none, or has starred elements.
fn list(text: &str, tokens: &[Token]) -> Option<Vec<String>> {
    let first = tokens.first().filter(|first| first.is(b'[') || first.is(b'('))?;
    if group_end(tokens, 0) != tokens.len() || first.end > tokens.last()?.start {
        return None;
    }
    let elements = arguments(&tokens[1..tokens.len() - 1]);
    let is_plain = |element: &&[Token]| {
        let is_loop = element.iter().any(|token| token.text(text) == "for");
        !element.is_empty() && !element[0].is(b'*') && !is_loop
    };
    elements.iter().all(is_plain).then(|| {
        let texts = elements.iter().filter_map(|element| span(element));
        texts.map(|range| text[range].to_owned()).collect()
    })
}

fn pack(arguments: &Arguments<'_>, api: &Api) -> Option<Pack> {
    if api.dialect != Dialect::Triton {
        return None;
    }
    let elements = arguments.word((&["pack"], 5)).and_then(|word| word.parse().ok())?;
    let result = arguments.word((&["dtype"], 3)).unwrap_or_default();
    let result_bits = match result.rsplit('.').next().unwrap_or_default() {
        "float32" | "int32" | "uint32" => Some(32),
        "float64" | "int64" | "uint64" => Some(64),
        "float16" | "bfloat16" | "int16" | "uint16" => Some(16),
        "int8" | "uint8" => Some(8),
        _ => None,
    };
    Some(Pack { elements, result_bits })
}
