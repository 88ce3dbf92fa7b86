//! Parts of messages about forms.

use std::fmt::Display;

use indexmap::IndexSet;
use warplens_hir::ptx::{Count, FormMatch, Near, OperandRule, Type, TypeKind, TypeSet};
use warplens_ide_db::any_of;
use warplens_ide_db::ptx::forms::kind_name;
use warplens_isa::ptx::{Instruction as Entry, OperandKind, Slot, Value};

/// The mnemonic with its modifiers in the documented order.
pub(super) fn documented(entry: &Entry, chosen: &[Option<&'static Value>]) -> String {
    let mut text = entry.name.to_owned();
    // A word of the name that a class represents is added with the class.
    text.truncate(entry.opcode.len() + entry.words.iter().map(|word| word.len()).sum::<usize>());
    chosen.iter().flatten().flat_map(|value| value.words).for_each(|word| text.push_str(word));
    text
}

/// The values of a slot, of which there may be too many to list.
pub(super) fn values(values: impl IntoIterator<Item = impl Display>) -> String {
    const MOST: usize = 12;
    let words: IndexSet<String> = values.into_iter().map(|value| format!("`{value}`")).collect();
    if words.len() > MOST {
        return format!("{} …", Vec::from_iter(words.into_iter().take(MOST)).join(", "));
    }
    any_of(&words)
}

pub(super) fn value(value: &Value) -> String {
    value.words.concat()
}

pub(super) fn values_of(near: &Near, slot: usize) -> impl Iterator<Item = String> + Clone {
    near.form.slots[slot].values.iter().map(value)
}

/// The meaning of a slot, in parentheses; empty if the tables have no summary.
pub(super) fn decides(entry: &Entry, slot: &Slot) -> String {
    let class = entry.modifiers.iter().find(|class| class.name == slot.class);
    match class.map(|class| class.summary.trim_end_matches('.')) {
        None | Some("") => String::new(),
        Some(summary) => {
            let mut letters = summary.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase()).unwrap_or_default();
            format!(" ({first}{})", letters.as_str())
        }
    }
}

pub(super) fn types(rule: &OperandRule, set: TypeSet) -> String {
    const MOST: usize = 5;
    // A pair of halves is accepted as a 32-bit integer, but suggesting it is not useful.
    let is_integer = rule.ty.is_some_and(|ty| matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed));
    let is_shown = |found: &Type| *found != Type::F16x2 || !is_integer;
    let words: Vec<String> = set.types().filter(is_shown).map(ty).collect();
    match rule.ty {
        Some(ty) if words.len() > MOST => match ty.kind() {
            TypeKind::Bits => format!("registers of at least {} bits", ty.bits()),
            _ => format!("integers or bits, at least {} wide,", ty.bits()),
        },
        _ => any_of(&words),
    }
}

pub(super) fn ty(ty: Type) -> String {
    format!("`.{}`", ty.name())
}

pub(super) fn takes(rule: &OperandRule) -> String {
    const ALL: &[OperandKind] = &[
        OperandKind::Register,
        OperandKind::Predicate,
        OperandKind::NotPredicate,
        OperandKind::SpecialRegister,
        OperandKind::Immediate,
        OperandKind::Address,
        OperandKind::Sink,
        OperandKind::Symbol,
        OperandKind::Parameter,
        OperandKind::Label,
        OperandKind::LabelAddress,
        OperandKind::Texture,
        OperandKind::Sampler,
        OperandKind::Surface,
    ];
    let is_predicate = rule.ty == Some(Type::Pred);
    let vector = match rule.count {
        Count::Braced(1) => Some("one register in braces".to_owned()),
        Count::Braced(count) => Some(format!("{count} registers in braces")),
        Count::AtLeast(count) => Some(format!("at least {count} registers in braces")),
        Count::Any => Some("registers in braces".to_owned()),
        Count::One if rule.kinds.has(OperandKind::Vector) => Some("registers in braces".to_owned()),
        Count::One | Count::OneOrBraced(_) => None,
    };
    let is_braced = matches!(rule.count, Count::Braced(_));
    let mut words: IndexSet<String> = vector.into_iter().collect();
    for kind in ALL.iter().filter(|kind| rule.kinds.has(**kind)) {
        let word = match kind {
            OperandKind::Register if is_braced => continue,
            OperandKind::Register if is_predicate => kind_name(OperandKind::Predicate),
            kind => kind_name(*kind),
        };
        words.insert(match kind {
            OperandKind::Sink => word.to_owned(),
            _ if word.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {word}"),
            _ => format!("a {word}"),
        });
    }
    any_of(&words)
}

/// The operands of a form as a reader sees them: `d, a, b`.
pub(super) fn operands(form: &FormMatch) -> String {
    let names = form.operands.iter().map(|rule| {
        let name = |index: usize| form.entry.operands.get(index).map_or("?", |operand| operand.name);
        let text = match form.inside(rule) {
            [] => name(rule.index).to_owned(),
            [_, rest @ ..] => {
                let parts = std::iter::once(rule).chain(rest).map(|part| name(part.index));
                format!("[{}]", parts.collect::<Vec<_>>().join(", "))
            }
        };
        let text = match rule.second {
            Some((second, true)) => format!("{text}{{|{}}}", name(second)),
            Some((second, false)) => format!("{text}|{}", name(second)),
            None => text,
        };
        if rule.optional { format!("{{{text}}}") } else { text }
    });
    names.collect::<Vec<_>>().join(", ")
}
