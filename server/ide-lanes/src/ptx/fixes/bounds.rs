//! An access beyond the end of an object: the comparison that lets the index through, or a guard that is missing.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use super::code::{self, Code};
use crate::simulator::FindingInText;

/// How many comparisons, and how many pairs of an index and a length, are tried.
const MOST: usize = 4;
/// How many statements the computation of an address has.
const LONGEST_CHAIN: usize = 16;

pub(super) fn corrected(found: FindingInText<'_>) -> Vec<Fix> {
    let Some(access) = found.finding.statement else { return Vec::new() };
    let lengths = lengths(found, access);
    let pairs: Vec<Bound<'_>> = indices(found, access)
        .into_iter()
        .flat_map(|index| lengths.iter().map(move |length| Bound { index, length: *length }))
        .filter(|bound| bound.index.name != bound.length.name)
        .take(MOST)
        .collect();
    let compared = comparisons(found, &lengths).take(MOST);
    let left = pairs.iter().filter_map(|bound| leave(found, access, bound));
    let guarded = pairs.iter().filter_map(|bound| guard(found, access, bound));
    compared.chain(left).chain(guarded).collect()
}

/// A register of 32 bits, and the statement that gives it its value.
#[derive(Clone, Copy)]
struct Value<'t> {
    name: &'t str,
    at: StatementId,
}

/// An index that must be less than a length.
struct Bound<'t> {
    index: Value<'t>,
    length: Value<'t>,
}

/// The scalar arguments that are loaded before an access.
fn lengths(found: FindingInText<'_>, access: StatementId) -> Vec<Value<'_>> {
    let length = |at| {
        let code = Code::of(found, at)?;
        let is_scalar = code.opcode.starts_with("ld.param") && matches!(code.ty(), "u32" | "s32" | "b32");
        is_scalar.then(|| Some(Value { name: code.operands.first()?, at })).flatten()
    };
    code::before(access).filter_map(length).collect()
}

/// The registers of 32 bits from which the address of an access is computed, the last one first.
fn indices(found: FindingInText<'_>, access: StatementId) -> Vec<Value<'_>> {
    let Some(address) = found.statement(access).and_then(|statement| statement.address.as_ref()) else {
        return Vec::new();
    };
    let mut chain = vec![(&*address.name, access)];
    let mut indices = Vec::new();
    let mut next = 0;
    while let Some(&(register, reader)) = chain.get(next).filter(|_| next < LONGEST_CHAIN) {
        next += 1;
        let Some(at) = code::definition(found, reader, register) else { continue };
        let Some(code) = Code::of(found, at).filter(|code| !code.opcode.starts_with("ld")) else { continue };
        if reader != access && code::has_32_bits(found, reader, register) {
            indices.push(Value { name: register, at });
        }
        for source in code.sources() {
            if !chain.contains(&(source, at)) {
                chain.push((source, at));
            }
        }
    }
    indices
}

/// Comparisons with a length that include it.
fn comparisons<'f>(found: FindingInText<'f>, lengths: &'f [Value<'f>]) -> impl Iterator<Item = Fix> + 'f {
    let fix = move |id: u32| {
        let id = StatementId(id);
        let code = Code::of(found, id).filter(|code| code.opcode.starts_with("setp."))?;
        let has_length = code.sources().any(|source| lengths.iter().any(|length| length.name == source));
        let (wide, strict) = [(".gt.", ".ge."), (".le.", ".lt.")]
            .into_iter()
            .find(|(included, _)| has_length && code.opcode.contains(included))?;
        let range = TextRange::at(found.statement(id)?.opcode.start(), TextSize::of(code.opcode));
        let edits = vec![TextEdit { range, insert: code.opcode.replacen(wide, strict, 1) }];
        let [wide, strict] = [wide, strict].map(|part| part.trim_matches('.'));
        Some(Fix { title: format!("Compare with `{strict}` instead of `{wide}`"), edits, preferred: false })
    };
    (0..found.statements.len() as u32).filter_map(fix)
}

/// Threads whose index is not less than the length return, as soon as both are known.
fn leave(found: FindingInText<'_>, access: StatementId, bound: &Bound<'_>) -> Option<Fix> {
    let Bound { index, length } = bound;
    let start = usize::from(found.statement(access)?.range.start());
    let last = |word: &str| found.text[..start].rfind(word);
    if last(".entry") < last(".func") {
        return None;
    }
    let at = found.statement(index.at.max(length.at))?.range.end();
    let (indent, inside) = (found.indent(at), code::unused(found, "%in_bounds"));
    let insert = format!(
        "\n{indent}.reg .pred {inside};\n{indent}setp.lt.u32 {inside}, {}, {};\n{indent}@!{inside} ret;",
        index.name, length.name
    );
    let edits = vec![TextEdit { range: TextRange::empty(at), insert }];
    Some(Fix { title: format!("Return where `{} >= {}`", index.name, length.name), edits, preferred: false })
}

/// Only lanes whose index is less than the length access the memory. A load would leave its register without a value.
fn guard(found: FindingInText<'_>, access: StatementId, bound: &Bound<'_>) -> Option<Fix> {
    let Bound { index, length } = bound;
    let statement = found.statement(access)?;
    let code = Code::of(found, access)?;
    if !code.opcode.starts_with("st") && !code.opcode.starts_with("red") {
        return None;
    }
    let range = TextRange::new(statement.range.start(), statement.opcode.start());
    let before = found.text[std::ops::Range::<usize>::from(range)].trim().trim_start_matches('@').trim();
    let (indent, inside) = (found.indent(range.start()), code::unused(found, "%in_bounds"));
    let (and, guard) = if before.is_empty() { ("", String::new()) } else { (".and", format!(", {before}")) };
    let insert = format!(
        ".reg .pred {inside};\n{indent}setp.lt{and}.u32 {inside}, {}, {}{guard};\n{indent}@{inside} ",
        index.name, length.name
    );
    let edits = vec![TextEdit { range, insert }];
    Some(Fix {
        title: format!("Guard the access with `{} < {}`", index.name, length.name),
        edits,
        preferred: false,
    })
}
