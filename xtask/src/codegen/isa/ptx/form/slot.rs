//! The slots of a form and their values: `{.sat}.type(s32)`, `.level(L2::64B@7.4/sm_75)`.

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::data::names;
use crate::codegen::isa::schema::ptx::{Instruction, ModifierClass};
use crate::codegen::isa::schema::ptx_form::{Availability, Slot, Value};

impl Value {
    fn new(word: &str) -> Self {
        let words = word.split('.').skip(1).map(|word| format!(".{word}")).collect();
        Self { words, ..Self::default() }
    }
}

/// The slots in the chain of modifiers of a form.
pub(super) fn slots(entry: &Instruction, mut text: &str) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    while !text.is_empty() {
        let (leads, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (item, optional, rest) = match rest.strip_prefix('{') {
            Some(inside) => {
                let (item, rest) = inside.split_once('}').context("a `{` is not closed")?;
                (item, true, rest)
            }
            None => {
                let (item, rest) = rest.split_at(item_len(rest));
                (item, false, rest)
            }
        };
        let item = item.strip_prefix('.').with_context(|| format!("`{item}` has no dot"))?;
        let slot = slot(entry, &slots, item)?;
        slots.push(Slot { optional, leads, ..slot });
        text = rest;
    }
    Ok(slots)
}

/// The length of the item at the start of a chain, which ends at the next dot, brace or mark outside
/// parentheses.
fn item_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' | '{' | '!' if depth == 0 && at > 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn slot(entry: &Instruction, before: &[Slot], item: &str) -> Result<Slot> {
    let (word, restriction) = match item.split_once('(') {
        Some((word, rest)) => (word, Some(rest.strip_suffix(')').context("a `(` is not closed")?)),
        None => (item, None),
    };
    let slot = |class: &str, values, whole| Slot {
        class: class.to_owned(),
        values,
        optional: false,
        leads: false,
        whole,
    };
    if let Some(class) = entry.modifiers.iter().find(|class| class.name == word) {
        let listed = match restriction {
            None => names(&class.listed).iter().map(|word| word[1..].to_owned()).collect(),
            Some(list) => names(list),
        };
        let values = listed.iter().map(|text| value(text, class)).collect::<Result<Vec<_>>>()?;
        return Ok(slot(&class.name, values, restriction.is_none()));
    }
    ensure!(restriction.is_none(), "`{word}` is not a class of the entry");
    let word = format!(".{word}");
    let has = |class: &&ModifierClass| names(&class.listed).contains(&word);
    let unused = |class: &&ModifierClass| !before.iter().any(|slot| slot.class == class.name);
    if let Some(class) = entry.modifiers.iter().find(|class| unused(class) && has(class)) {
        return Ok(slot(&class.name, vec![value(&word[1..], class)?], false));
    }
    ensure!(
        entry.modifiers.iter().any(|class| has(&class)),
        "`{word}` is neither a class nor a modifier of the entry"
    );
    Ok(slot("", vec![Value::new(&word)], false))
}

/// Reads a value with its availability: `L2::64B@7.4/sm_75`.
fn value(text: &str, class: &ModifierClass) -> Result<Value> {
    let (word, own) = text.split_once('@').unwrap_or((text, ""));
    let word = format!(".{word}");
    let index = names(&class.listed).iter().position(|value| *value == word);
    let index = index.with_context(|| format!("`{word}` is not in the class `{}`", class.name))?;
    let availability = match (own, class.needs.as_str()) {
        ("", "") => Availability::default(),
        ("", of_class) => Availability::read(of_class)?,
        (own, _) => Availability::read(&own.replace('/', " "))?,
    };
    let (numbers, indexes) = match class.counts.as_str() {
        "" => (numbers(&word), false),
        counts => {
            let count = counts.split_whitespace().nth(index);
            let count = count.with_context(|| format!("`counts` has no entry for `{word}`"))?;
            let (number, indexes) = match count.strip_prefix("index+") {
                Some(others) => (others.parse::<u16>()? + 1, true),
                None => (count.parse()?, false),
            };
            (vec![number], indexes)
        }
    };
    Ok(Value { availability, numbers, indexes, ..Value::new(&word) })
}

/// The numbers in a modifier, such as 64, 8 and 16 in `.m64n8k16`.
fn numbers(word: &str) -> Vec<u16> {
    word.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
