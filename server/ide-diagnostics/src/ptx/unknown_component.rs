//! `unknown-component`: a component that a special register does not have, such as `%tid.q`.

use text_size::TextRange;
use warplens_hir::ptx::{Component, Function, NameId, Operand, Resolution};
use warplens_ide_db::{Db, Item, ItemFix, Problem, token_covering};
use warplens_isa::ptx as isa;

use crate::codes;

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    for instruction in function.instructions() {
        for operand in instruction.operands() {
            if let Operand::Special { name, component: Some(component) } = operand {
                problems.extend(problem(db, item, function, (*name, *component)));
            }
        }
    }
}

fn problem(
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
    let word = token_covering(&item.parse(db).syntax(), name.range.end())?;
    let range = TextRange::new(name.range.end(), word.text_range().end());
    if components.is_empty() {
        let message = format!("`{register}` has no components; remove `{}`", word.text());
        let fix = ItemFix::replacement(range, "");
        return Some(Problem::error(range, codes::UNKNOWN_COMPONENT, message).with_fix(Some(fix)));
    }
    let lower = word.text().to_ascii_lowercase();
    let meant =
        components.iter().any(|component| lower.strip_prefix('.') == Some(*component)).then_some(&lower);
    let components: Vec<String> = components.iter().map(|component| format!("`.{component}`")).collect();
    let message =
        format!("`{register}` has no component `{}`; it has {}", word.text(), components.join(", "));
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
ret; }
",
            expect![[r#"
                6:`.q` Error unknown-component: `%tid` has no component `.q`; it has `.x`, `.y`, `.z`, `.w`
                7:`.x` Error unknown-component: `%laneid` has no components; remove `.x`
                8:`.w` Error unknown-component: `%envreg3` has no components; remove `.w`
                9:`.x` Error unknown-component: `%clock64` has no components; remove `.x`
            "#]],
        );
    }
}
