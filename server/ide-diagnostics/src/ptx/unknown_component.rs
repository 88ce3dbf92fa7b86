//! `unknown-component`: a component that a special register does not have, such as `%tid.q`.

use text_size::TextRange;
use warplens_hir::ptx::{Component, Function, NameId, Operand, Resolution};
use warplens_ide_db::{Db, Item, ItemFix, Problem, token_covering};
use warplens_isa::ptx as isa;

use crate::codes;

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    for instruction in function.instructions() {
        for operand in instruction.operands() {
            if let Operand::Special { name, component: Some(Component::Other) } = operand {
                problems.extend(problem(db, item, function, *name));
            }
        }
    }
}

fn problem(db: &dyn Db, item: Item<'_>, function: &Function, name: NameId) -> Option<Problem> {
    let name = function.name(name);
    let Resolution::Special(register) = name.resolution else { return None };
    let word = token_covering(&item.parse(db).syntax(), name.range.end())?;
    let range = TextRange::new(name.range.end(), word.text_range().end());
    let components = isa::special_register(register)?.components;
    let lower = word.text().to_ascii_lowercase();
    let meant =
        components.iter().any(|component| lower.strip_prefix('.') == Some(*component)).then_some(&lower);
    let components: Vec<String> = components.iter().map(|component| format!("`.{component}`")).collect();
    let has = if components.is_empty() { "no components".into() } else { components.join(", ") };
    let message = format!("`{register}` has no component `{}`; it has {has}", word.text());
    let fix = meant.map(|meant| ItemFix::replacement(range, meant));
    Some(Problem::error(range, codes::UNKNOWN_COMPONENT, message).with_fix(fix))
}
