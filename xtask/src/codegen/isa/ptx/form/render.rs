//! Forms as Rust source.

use std::collections::HashMap;

use anyhow::{Result, ensure};

use super::super::super::ptx_data::Instruction;
use super::super::super::rust;
use super::super::operand_kind;
use super::gate::{gate, need_source};
use super::operand::{FormOperand, Length, Type};
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
        for operand in forms.iter().flat_map(|form| &form.operands) {
            if let Type::Fixed { name, .. } = &operand.ty {
                ensure!(types(name), "`{name}` in a form is neither a class, a type nor a state space");
            }
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
            format!("Value {{ words: {}, gate: {} }}", rust::strings(words), gate(&value.gate))
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
    let range = operand.accepted.range.map_or("None".to_owned(), |range| format!("Some({range:?})"));
    let ty = match &operand.ty {
        Type::Unsaid => "Unsaid".to_owned(),
        Type::Fixed { name, at_least: false } => format!("Fixed({name:?})"),
        Type::Fixed { name, at_least: true } => format!("FixedAtLeast({name:?})"),
        Type::Slot { slot, at_least: false } => format!("Slot({slot})"),
        Type::Slot { slot, at_least: true } => format!("AtLeast({slot})"),
        Type::Wide(slot) => format!("Wide({slot})"),
    };
    let length = match operand.length {
        Length::One => "One".to_owned(),
        Length::Exactly(count) => format!("Exactly({count})"),
        Length::Slot(slot, factor) => format!("Slot({slot}, {factor})"),
        Length::Any => "Any".to_owned(),
    };
    Ok(format!(
        "FormOperand {{ index: {}, second: {second}, kinds: {}, ty: OperandType::{ty}, length: Length::{length}, \
         optional: {}, range: {range}, step: {} }}",
        operand.index,
        rust::slice(kinds),
        operand.optional,
        operand.accepted.step
    ))
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
        let mut written = entry.operands[operand.index].name.clone();
        if operand.accepted.kinds.iter().any(|kind| kind.ends_with("address") && kind != "label-address") {
            written = format!("[{written}]");
        }
        if let Some((second, optional)) = operand.second {
            let second = &entry.operands[second].name;
            written += &if optional { format!("{{|{second}}}") } else { format!("|{second}") };
        }
        let comma = if place == 0 { " " } else { ", " };
        text += &if operand.optional { format!("{{{comma}{written}}}") } else { format!("{comma}{written}") };
    }
    text
}
