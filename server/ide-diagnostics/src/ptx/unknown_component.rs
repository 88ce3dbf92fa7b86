//! `unknown-component`: a component that a special register or a vector does not have, such as `%tid.q`.

use text_size::TextRange;
use warplens_hir::ptx::{Component, Function, NameId, Operand, Resolution, SymbolKind};
use warplens_ide_db::{Db, Item, ItemFix, Problem, token_covering};
use warplens_isa::ptx as isa;

use crate::codes;

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    for instruction in function.instructions() {
        check_operands(db, item, function, instruction.operands(), problems);
    }
}

fn check_operands(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    operands: &[Operand],
    problems: &mut Vec<Problem>,
) {
    for operand in operands {
        match *operand {
            Operand::Special { name, component: Some(component) } => {
                problems.extend(of_special(db, item, function, (name, component)));
            }
            Operand::Register { name, component: Some(component) } => {
                problems.extend(of_vector(db, item, function, (name, component)));
            }
            Operand::Vector(list) | Operand::Pair(list) => {
                check_operands(db, item, function, function.operands(list), problems);
            }
            _ => {}
        }
    }
}

/// The component as it is written, with its range.
fn written(db: &dyn Db, item: Item<'_>, name: TextRange) -> Option<(TextRange, String)> {
    let word = token_covering(&item.parse(db).syntax(), name.end())?;
    Some((TextRange::new(name.end(), word.text_range().end()), word.text().to_owned()))
}

/// The assembler takes a component beyond the last one of a shorter vector.
fn of_vector(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    (name, component): (NameId, Component),
) -> Option<Problem> {
    let name = function.name(name);
    let (Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. }) = name.resolution else {
        return None;
    };
    let (SymbolKind::Register { vector: Some(vector), .. }
    | SymbolKind::RegisterRange { vector: Some(vector), .. }) = function.symbol(symbol).kind
    else {
        return None;
    };
    if component != Component::Other {
        return None;
    }
    let count = vector.count() as usize;
    let (range, word) = written(db, item, name.range)?;
    let names = ["`.x`", "`.y`", "`.z`", "`.w`"].get(..count)?.join(", ");
    let message = format!("a vector of {count} has no component `{word}`; it has {names}");
    Some(Problem::error(range, codes::UNKNOWN_COMPONENT, message))
}

fn of_special(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    (name, component): (NameId, Component),
) -> Option<Problem> {
    let name = function.name(name);
    let Resolution::Special(register) = name.resolution else { return None };
    let components = isa::special_register(register)?.components;
    let exists = component.element().is_none_or(|element| element < components.len());
    if exists && component != Component::Other {
        return None;
    }
    let (range, word) = written(db, item, name.range)?;
    if components.is_empty() {
        let message = format!("`{register}` has no components; remove `{word}`");
        let fix = ItemFix::replacement(range, "");
        return Some(Problem::error(range, codes::UNKNOWN_COMPONENT, message).with_fix(Some(fix)));
    }
    let lower = word.to_ascii_lowercase();
    let meant =
        components.iter().any(|component| lower.strip_prefix('.') == Some(*component)).then_some(&lower);
    let components: Vec<String> = components.iter().map(|component| format!("`.{component}`")).collect();
    let message = format!("`{register}` has no component `{word}`; it has {}", components.join(", "));
    let fix = meant.map(|meant| ItemFix::replacement(range, meant));
    Some(Problem::error(range, codes::UNKNOWN_COMPONENT, message).with_fix(fix))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn components_of_special_registers() {
        check(
            "\
.version 8.0
.target sm_90
.entry k() { .reg .b32 %r; .reg .b64 %rd;
mov.u32 %r, %tid.x;
mov.u32 %r, %ctaid.r;
mov.u32 %r, %tid.q;
mov.u32 %r, %laneid.x;
mov.u32 %r, %envreg3.w;
mov.u64 %rd, %clock64.x;
.reg .v2 .b32 %v;
mov.u32 %r, %v.y;
mov.u32 %r, %v.z;
mov.b64 %rd, {%v.q, %tid.q};
ret; }
",
            expect![[r#"
                6:`.q` Error unknown-component: `%tid` has no component `.q`; it has `.x`, `.y`, `.z`, `.w`
                7:`.x` Error unknown-component: `%laneid` has no components; remove `.x`
                8:`.w` Error unknown-component: `%envreg3` has no components; remove `.w`
                9:`.x` Error unknown-component: `%clock64` has no components; remove `.x`
                13:`.q` Error unknown-component: a vector of 2 has no component `.q`; it has `.x`, `.y`
                13:`.q` Error unknown-component: `%tid` has no component `.q`; it has `.x`, `.y`, `.z`, `.w`
            "#]],
        );
    }
}
