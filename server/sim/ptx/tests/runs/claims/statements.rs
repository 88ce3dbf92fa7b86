//! Statements generated from the forms of the instruction tables, to test what the simulator covers.

use std::fmt::Write;

use warplens_isa::List;
use warplens_isa::ptx::{
    self, Bound, Form, FormOperand, FormSpace, Instruction, Length, OperandKind, OperandType, Presence,
    TypeKind, Value,
};

/// Statements of a form that use each modifier of each slot at least once, and each kind of operand now and then.
pub(crate) fn of_form(entry: &Instruction, form: &Form) -> Vec<String> {
    let choices: Vec<usize> =
        form.slots.iter().map(|slot| slot.values.len() + usize::from(slot.optional)).collect();
    let total = choices.iter().try_fold(1usize, |total, count| total.checked_mul(*count));
    let picks: Vec<Vec<usize>> = match total {
        Some(total) if total <= 64 => (0..total).map(|number| digits(number, &choices)).collect(),
        _ => covering(&choices),
    };
    let write = |(round, pick): (usize, &Vec<usize>)| statement(entry, form, pick, round);
    picks.iter().enumerate().map(write).collect()
}

/// A module with a kernel `k` that contains the statements, one per line.
pub(crate) fn module(statements: &[String]) -> String {
    let mut text = String::from(".version 9.2\n.target sm_100a\n.address_size 64\n");
    for space in ["global", "const", "shared"] {
        let _ = writeln!(text, ".{space} .align 16 .b8 {space}_var[256];");
    }
    text += ".global .texref texture;\n.global .surfref surface;\n";
    text += ".visible .entry k(.param .b64 param_var) {\n.local .align 16 .b8 local_var[256];\n";
    for ty in declarable() {
        let _ = writeln!(text, ".reg .{ty} %{ty}_<{REGISTERS}>;");
    }
    text += "Ltable: .branchtargets Lend;\n";
    for statement in statements {
        let _ = writeln!(text, "{statement}");
    }
    text + "Lend:\nret;\n}\n"
}

const REGISTERS: usize = 300;

/// The types of which registers can be declared, without dots.
fn declarable() -> Vec<&'static str> {
    let types = ptx::types().iter().filter(|ty| ty.storage.is_none() && ty.kind != TypeKind::Opaque);
    types.map(|ty| ty.name.trim_start_matches('.')).collect()
}

fn digits(mut number: usize, choices: &[usize]) -> Vec<usize> {
    let digit = |count: &usize| {
        let digit = number % count;
        number /= count;
        digit
    };
    choices.iter().map(digit).collect()
}

/// Uses each choice of each slot twice: with the first choice of all other slots, and with varying choices.
fn covering(choices: &[usize]) -> Vec<Vec<usize>> {
    let mut picks = Vec::new();
    for (slot, count) in choices.iter().enumerate() {
        for value in 0..*count {
            let mut least = vec![0; choices.len()];
            let number = (slot * 31 + value + 1) * 2_654_435_761;
            let mut mixed = digits(number, choices);
            (least[slot], mixed[slot]) = (value, value);
            picks.extend([least, mixed]);
        }
    }
    picks
}

fn statement(entry: &Instruction, form: &Form, pick: &[usize], round: usize) -> String {
    let filled: Vec<Option<&Value>> = (form.slots.iter().zip(pick))
        .map(|(slot, pick)| match (slot.optional, pick) {
            (true, 0) => None,
            (optional, pick) => Some(&slot.values[pick - usize::from(optional)]),
        })
        .collect();
    let mut operands = Vec::new();
    for (place, operand) in form.operands.iter().enumerate() {
        match operand.presence {
            Presence::Optional if round % 2 == 1 => break,
            Presence::With(slot) if filled[slot].is_none() => continue,
            _ => {}
        }
        let text = OperandPosition { operand, filled: &filled, number: place + 1, round }.text();
        // A label operand that is not a branch target is a table label.
        operands.push(if entry.opcode == "brx" && text == "Lend" { "Ltable".to_owned() } else { text });
    }
    let space = if operands.is_empty() { "" } else { " " };
    let words: String = filled.iter().flatten().map(|value| value.words.concat()).collect();
    format!("{}{}{words}{space}{};", entry.opcode, entry.words.concat(), operands.join(", "))
}

struct OperandPosition<'f> {
    operand: &'f FormOperand,
    /// The modifiers of the statement, one per slot.
    filled: &'f [Option<&'f Value>],
    number: usize,
    /// Counts through the possible kinds.
    round: usize,
}

impl OperandPosition<'_> {
    fn text(&self) -> String {
        let first = match self.operand.inside.is_empty() {
            true => self.plain(),
            false => self.brackets(self.operand.inside),
        };
        match self.operand.second {
            Some((_, optional)) if !optional || self.round.is_multiple_of(3) => {
                format!("{first}|{}", register("pred", self.number + 10))
            }
            _ => first,
        }
    }

    fn brackets(&self, inside: List<FormOperand>) -> String {
        let is_there = |part: &&FormOperand| match part.presence {
            Presence::Required => true,
            Presence::Optional => false,
            Presence::With(slot) => self.filled[slot].is_some(),
        };
        let parts = inside.iter().filter(is_there).map(|operand| {
            let text = OperandPosition { operand, ..*self }.plain();
            text.trim_start_matches('[').trim_end_matches(']').to_owned()
        });
        format!("[{}]", parts.collect::<Vec<_>>().join(", "))
    }

    fn plain(&self) -> String {
        let ty = self.ty();
        let braces = self.operand.kinds.contains(&OperandKind::Vector)
            && !self.operand.kinds.contains(&OperandKind::Register);
        let count = match self.operand.length {
            Length::One | Length::OneOrBraced(_) => None,
            Length::Any => Some([2, 4][self.round % 2]),
            Length::Exactly(count) => Some(usize::from(count)),
            Length::Product(product) => product.count(self.filled).map(|count| count as usize),
        };
        let value = |number| value_register(ty.as_deref(), self.number * 20 + number);
        match count.filter(|count| *count > 1 || braces) {
            Some(count) => format!("{{{}}}", (0..count).map(value).collect::<Vec<_>>().join(",")),
            None => {
                let kinds = self.operand.kinds;
                // Now and then, uses the first possible kind, which is usually a register.
                let turn = if self.round.is_multiple_of(3) { 0 } else { self.round + self.number };
                self.of_kind(kinds[turn % kinds.len()], ty.as_deref())
            }
        }
    }

    /// The last word of the modifier in a slot, without its dot.
    fn word(&self, slot: usize) -> Option<&'static str> {
        Some(self.filled[slot]?.words.last()?.trim_start_matches('.'))
    }

    fn ty(&self) -> Option<String> {
        match self.operand.ty {
            OperandType::Unspecified => None,
            OperandType::Fixed(name) | OperandType::FixedAtLeast(name) => Some(name.to_owned()),
            OperandType::Slot(slot) | OperandType::AtLeast(slot) => self.word(slot).map(str::to_owned),
            OperandType::Wide(slot) => {
                let name = self.word(slot)?;
                let bits = ptx::type_(&format!(".{name}"))?.bits;
                Some(format!("{}{}", &name[..1], u32::from(bits) * 2))
            }
        }
    }

    fn space(&self) -> Option<&'static str> {
        match self.operand.space {
            FormSpace::Unspecified => None,
            FormSpace::Fixed(name) => Some(name),
            FormSpace::Slot(slot) => self.word(slot),
        }
    }

    fn of_kind(&self, kind: OperandKind, ty: Option<&str>) -> String {
        match kind {
            OperandKind::Predicate => register("pred", self.number),
            OperandKind::NotPredicate => format!("!{}", register("pred", self.number)),
            OperandKind::Immediate => self.constant(ty),
            OperandKind::SpecialRegister => "%laneid".to_owned(),
            OperandKind::Vector => {
                format!("{{{},{}}}", value_register(ty, self.number), value_register(ty, self.number + 1))
            }
            OperandKind::Sink => "_".to_owned(),
            OperandKind::Symbol => "global_var".to_owned(),
            OperandKind::Label | OperandKind::LabelAddress => "Lend".to_owned(),
            OperandKind::Texture => "texture".to_owned(),
            OperandKind::Surface => "surface".to_owned(),
            OperandKind::Address => match ty {
                Some(_) => format!("[{}]", value_register(ty, self.number)),
                None => address(self.space(), self.number),
            },
            _ => value_register(ty, self.number),
        }
    }

    fn constant(&self, ty: Option<&str>) -> String {
        let ty = ty.and_then(|ty| ptx::type_(&format!(".{ty}")));
        match (self.operand.ranges.first().copied(), ty) {
            (Some(range), _) => {
                let high = match range.high {
                    Bound::Number(high) => high,
                    Bound::Operand(_) => range.low,
                };
                [range.low, high][self.round % 2].to_string()
            }
            (None, Some(ty)) if ty.kind == TypeKind::Float && ty.bits == 64 => {
                "0d3FF0000000000000".to_owned()
            }
            (None, Some(ty)) if ty.kind == TypeKind::Float => "0f3F800000".to_owned(),
            _ => "1".to_owned(),
        }
    }
}

fn register(ty: &str, number: usize) -> String {
    format!("%{ty}_{}", number % REGISTERS)
}

/// A register that holds a value of the type.
fn value_register(ty: Option<&str>, number: usize) -> String {
    let Some(found) = ty.and_then(|ty| ptx::type_(&format!(".{ty}"))) else { return register("b32", number) };
    let own = found.name.trim_start_matches('.');
    if declarable().contains(&own) {
        return register(own, number);
    }
    let first = found.registers.first().map_or("b32", |name| name.trim_start_matches('.'));
    register(first, number)
}

fn address(space: Option<&str>, number: usize) -> String {
    match space.and_then(|space| space.split("::").next()) {
        Some(space @ ("param" | "const")) => format!("[{space}_var]"),
        _ => format!("[{}]", register("b64", number)),
    }
}
