//! Forms as Rust source.

use std::collections::HashMap;

use anyhow::{Result, ensure};

use super::super::super::ptx_data::Instruction;
use super::super::super::rust;
use super::super::operand_kind;
use super::gate::{gate, need_source};
use super::length::{Length, Product};
use super::operand::{FormOperand, Presence, Space, Type};
use super::range::{Bound, Range, Step};
use super::{Form, Slot, Value};

/// Lists of values that forms share: most take all values of a class.
#[derive(Default)]
pub(in super::super) struct Shared {
    names: HashMap<Vec<Value>, String>,
    source: String,
}

impl Shared {
    /// The forms of an entry, as a slice of `Form`s.
    pub(in super::super) fn forms(
        &mut self,
        entry: &Instruction,
        name: &str,
        types: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let forms = super::forms(entry, name)?;
        let operands = forms.iter().flat_map(|form| &form.operands);
        for operand in operands.flat_map(|operand| [operand].into_iter().chain(&operand.inside)) {
            let named = match (&operand.ty, &operand.space) {
                (Type::Fixed { name, .. }, _) => name,
                (_, Space::Fixed(name)) if name != "generic" => name,
                _ => continue,
            };
            ensure!(types(named), "`{named}` in a form is neither a class, a type nor a state space");
        }
        let forms = forms.iter().map(|form| self.form(entry, form)).collect::<Result<Vec<_>>>()?;
        Ok(rust::slice(forms))
    }

    /// The shared lists.
    pub(in super::super) fn tables(self) -> String {
        self.source
    }

    fn form(&mut self, entry: &Instruction, form: &Form) -> Result<String> {
        let slots: Vec<String> = form.slots.iter().map(|slot| self.slot(slot)).collect();
        let operands = form.operands.iter().map(operand).collect::<Result<Vec<_>>>()?;
        Ok(format!(
            "Form {{ text: {}, slots: {}, operands: {}, gate: {}, removed: {} }}",
            rust::string(&text(entry, form)),
            rust::slice(slots),
            rust::slice(operands),
            gate(&form.gate),
            form.removed.map_or("None".to_owned(), |need| format!("Some({})", need_source(&need)))
        ))
    }

    fn slot(&mut self, slot: &Slot) -> String {
        format!(
            "Slot {{ class: {}, values: &{}, optional: {}, leads: {} }}",
            rust::string(&slot.class),
            self.values(&slot.values),
            slot.optional,
            slot.leads
        )
    }

    /// The name of the list of these values.
    fn values(&mut self, values: &[Value]) -> String {
        if let Some(name) = self.names.get(values) {
            return name.clone();
        }
        let name = format!("VALUES_{}", self.names.len());
        let items = values.iter().map(|value| {
            let words = value.word.split('.').skip(1).map(|word| format!(".{word}"));
            format!(
                "Value {{ words: {}, gate: {}, numbers: &{:?}, indexes: {} }}",
                rust::strings(words),
                gate(&value.gate),
                value.numbers,
                value.indexes
            )
        });
        let items: Vec<String> = items.collect();
        self.source += &format!("static {name}: [Value; {}] = [{}];\n", items.len(), items.join(", "));
        self.names.insert(values.to_vec(), name.clone());
        name
    }
}

fn operand(operand: &FormOperand) -> Result<String> {
    let kinds = operand.accepted.kinds.iter().map(|kind| operand_kind(kind)).collect::<Result<Vec<_>>>()?;
    let second = operand.second.map_or("None".to_owned(), |second| format!("Some({second:?})"));
    let inside = operand.inside.iter().map(self::operand).collect::<Result<Vec<_>>>()?;
    Ok(format!(
        "FormOperand {{ index: {}, second: {second}, kinds: {}, ty: OperandType::{}, space: FormSpace::{}, \
         length: Length::{}, presence: Presence::{}, range: {}, inside: {} }}",
        operand.index,
        rust::slice(kinds),
        ty(&operand.ty),
        space(&operand.space),
        length(&operand.length),
        presence(&operand.presence),
        operand.accepted.range.as_ref().map_or("None".to_owned(), |it| format!("Some({})", range(it))),
        rust::slice(inside)
    ))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Unsaid => "Unsaid".to_owned(),
        Type::Fixed { name, at_least: false } => format!("Fixed({name:?})"),
        Type::Fixed { name, at_least: true } => format!("FixedAtLeast({name:?})"),
        Type::Slot { slot, at_least: false } => format!("Slot({slot})"),
        Type::Slot { slot, at_least: true } => format!("AtLeast({slot})"),
        Type::Wide(slot) => format!("Wide({slot})"),
    }
}

fn space(space: &Space) -> String {
    match space {
        Space::Unsaid => "Unsaid".to_owned(),
        Space::Fixed(name) => format!("Fixed({name:?})"),
        Space::Slot(slot) => format!("Slot({slot})"),
    }
}

fn length(length: &Length) -> String {
    match length {
        Length::One => "One".to_owned(),
        Length::Exactly(count) => format!("Exactly({count})"),
        Length::Product(Product { slots, factor, divisor, less, or_more }) => format!(
            "Product(Product {{ slots: &{slots:?}, factor: {factor}, divisor: {divisor}, less: {less}, \
             or_more: {or_more} }})"
        ),
        Length::Any => "Any".to_owned(),
    }
}

fn presence(presence: &Presence) -> String {
    match presence {
        Presence::Required => "Required".to_owned(),
        Presence::Optional => "Optional".to_owned(),
        Presence::With(slot) => format!("With({slot})"),
    }
}

fn range(range: &Range) -> String {
    let high = match range.high {
        Bound::Number(number) => format!("Number({number})"),
        Bound::Operand(index) => format!("Operand({index})"),
    };
    let step = match range.step {
        Step::Multiple(step) => format!("Multiple({step})"),
        Step::PowerOfTwo => "PowerOfTwo".to_owned(),
    };
    format!("Range {{ low: {}, high: Bound::{high}, step: Step::{step} }}", range.low)
}

/// The form as a reader sees it: `add{.sat}.{u16x2,s16x2} d, a, b`.
fn text(entry: &Instruction, form: &Form) -> String {
    let mut text = super::super::fixed_name(entry);
    for slot in &form.slots {
        let word = match slot.values.as_slice() {
            _ if slot.whole && slot.values.len() > 1 => format!(".{}", slot.class),
            [value] => value.word.clone(),
            values => {
                let words: Vec<&str> =
                    values.iter().map(|value| value.word.trim_start_matches('.')).collect();
                format!(".{{{}}}", words.join(","))
            }
        };
        text += &if slot.optional { format!("{{{word}}}") } else { word };
    }
    for (place, operand) in form.operands.iter().enumerate() {
        let written = shown(entry, operand);
        let comma = if place == 0 { " " } else { ", " };
        text += &match operand.presence {
            Presence::Required => format!("{comma}{written}"),
            Presence::Optional | Presence::With(_) => format!("{{{comma}{written}}}"),
        };
    }
    text
}

/// An operand as a reader sees it: `d{|p}`, `[a]`, `[tmap, coords]`.
fn shown(entry: &Instruction, operand: &FormOperand) -> String {
    let mut written = entry.operands[operand.index].name.clone();
    for part in operand.inside.iter().skip(1) {
        let name = &entry.operands[part.index].name;
        written += &match part.presence {
            Presence::Required => format!(", {name}"),
            Presence::Optional | Presence::With(_) => format!("{{, {name}}}"),
        };
    }
    if operand.accepted.kinds.iter().any(|kind| kind == "address") {
        written = format!("[{written}]");
    }
    match operand.second {
        Some((second, true)) => format!("{written}{{|{}}}", entry.operands[second].name),
        Some((second, false)) => format!("{written}|{}", entry.operands[second].name),
        None => written,
    }
}
