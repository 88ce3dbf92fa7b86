//! Rust: `asm!` for NVPTX, and `ptx_asm!` of cuda-oxide.

mod lexer;
mod literal;
mod operands;

use crate::assembly::{Context, is_ptx};
use crate::statement::{Denial, Dialect, Place, Statement};
use crate::template::Template;
use crate::tokens::{Budget, Kind, Token, arguments, group_end, span};
use lexer::lex;
use operands::Argument;

pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let tokens = lex(text);
    let mut found = Vec::new();
    let mut budget = Budget::new(tokens.len());
    let mut function = 0;
    for (at, pair) in tokens.windows(2).enumerate() {
        if pair[0].kind != Kind::Name || !pair[1].is(b'!') {
            if pair[0].text(text) == "fn" {
                function = at + 1;
            }
            continue;
        }
        let dialect = match pair[0].text(text) {
            "asm" => Dialect::Rust,
            "ptx_asm" => Dialect::PtxAsm,
            _ => continue,
        };
        if budget.spend(|| group_end(&tokens, (at + 2).min(tokens.len())) - at) {
            found.extend(statement(text, &tokens, at, dialect, function));
        }
    }
    found
}

fn statement(
    text: &str,
    tokens: &[Token],
    at: usize,
    dialect: Dialect,
    function: usize,
) -> Option<Statement> {
    let open = at + 2;
    tokens.get(open).filter(|token| matches!(token.kind, Kind::Punctuation(b'(' | b'[' | b'{')))?;
    let end = group_end(tokens, open);
    let parts = arguments(tokens.get(open + 1..end - 1)?);
    let count = parts.iter().take_while(|part| literal::is_text(text, part)).count();
    let template = template(text, &parts[..count])?;
    if template.text.trim().is_empty() {
        return None;
    }
    let (mut operands, mut options, mut clobbers) = (Vec::new(), Vec::new(), Vec::new());
    let mut knows_operands = true;
    for part in &parts[count..] {
        match operands::read(text, part, dialect) {
            Argument::Operand(operand) => operands.push(operand),
            Argument::Options(found) => options.extend(found),
            Argument::Clobbers(found) => clobbers.extend(found),
            Argument::Other => {}
            Argument::Unknown => knows_operands = false,
        }
    }
    let is_gpu =
        dialect == Dialect::PtxAsm || operands.iter().any(|operand| operand.class().starts_with("reg"));
    let context = if is_gpu { Context::Gpu } else { Context::Unknown };
    if !is_ptx(&template, dialect, &operands, context) {
        return None;
    }
    let denial = options.iter().find(|(name, _)| matches!(name.as_str(), "pure" | "register_only"));
    let denial = denial.filter(|(name, _)| dialect == Dialect::Rust || name != "pure");
    let denial = denial.map(|(name, range)| Denial {
        range: range.clone(),
        text: format!("`{name}`"),
        remedy: format!("remove `{name}`"),
    });
    let keyword = tokens[at].start..tokens[at].end;
    Some(Statement {
        volatile: denial.is_none() || dialect == Dialect::PtxAsm,
        denial,
        operands,
        knows_operands,
        has_placeholders: !options.iter().any(|(name, _)| name == "raw"),
        clobbers,
        options,
        place: Place { function: function + 1, block: at + 1, ..Place::default() },
        ..Statement::new(keyword, tokens[end - 1].end, dialect, template)
    })
}

/// Joins the arguments that are strings: each is a line.
fn template(text: &str, parts: &[&[Token]]) -> Option<Template> {
    let mut template = Template::default();
    for (index, part) in parts.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).and_then(|before| span(parts[before])) {
            template.decode("\n", before.end..span(part)?.start);
        }
        literal::text_of(text, part, &mut template);
    }
    Some(template)
}
