//! Valid operands for a form whose slots are filled.

use fastrand::Rng;
use warplens_isa::List;
use warplens_isa::ptx::{
    self, Bound, Form, FormOperand, FormSpace, Length, OperandKind, OperandType, Presence, Step, TypeKind,
    Value,
};

use crate::scaffold::{declarable, register, variable};

/// A form with the values of its slots.
pub(crate) struct Filling {
    pub(crate) form: &'static Form,
    pub(crate) chosen: Vec<Option<&'static Value>>,
}

impl Filling {
    /// A valid operand at a position.
    pub(crate) fn sound(&self, operand: &FormOperand, place: usize, rng: &mut Rng) -> String {
        let text = match operand.inside.is_empty() {
            true => self.plain(operand, place, rng),
            false => self.brackets(operand.inside, place, rng),
        };
        match operand.second {
            Some((_, optional)) if !optional || rng.bool() => {
                format!("{text}|{}", register("pred", place + 10))
            }
            _ => text,
        }
    }

    fn brackets(&self, inside: List<FormOperand>, place: usize, rng: &mut Rng) -> String {
        let mut parts = Vec::new();
        for (index, part) in inside.iter().enumerate() {
            let is_there = match part.presence {
                Presence::Required => true,
                // A sampler operand, which is only allowed in a texture mode that no module here uses.
                Presence::Optional => false,
                Presence::With(slot) => self.chosen[slot].is_some(),
            };
            if is_there {
                let text = self.plain(part, place * 20 + index * 5, rng);
                parts.push(text.trim_start_matches('[').trim_end_matches(']').to_owned());
            }
        }
        // The first of several parts must not have an offset.
        if parts.len() > 1 {
            parts[0] = parts[0].split('+').next().unwrap_or_default().to_owned();
        }
        format!("[{}]", parts.join(", "))
    }

    fn plain(&self, operand: &FormOperand, place: usize, rng: &mut Rng) -> String {
        let ty = self.type_of(operand.ty);
        let has = |kind| operand.kinds.contains(&kind);
        let is_braced = has(OperandKind::Vector) && !has(OperandKind::Register);
        let count = match operand.length {
            Length::One | Length::OneOrBraced(_) => None,
            Length::Any => Some(if rng.bool() { 2 } else { 4 }),
            Length::Exactly(count) => Some(usize::from(count)).filter(|count| *count > 1 || is_braced),
            Length::Product(product) => {
                let count = product.count(&self.chosen).map(|count| count as usize);
                count.filter(|count| *count > 1 || is_braced || product.or_more)
            }
        };
        let Some(count) = count else {
            let kind = operand.kinds[rng.usize(..operand.kinds.len())];
            return self.of_kind(kind, operand, ty.as_deref(), place, rng);
        };
        let mut registers: Vec<String> =
            (0..count).map(|index| value_register(ty.as_deref(), place * 20 + index)).collect();
        if matches!(operand.length, Length::Product(product) if product.indexes(&self.chosen)) {
            registers[0] = register("u32", 9);
        }
        format!("{{{}}}", registers.join(","))
    }

    /// The last word of a slot, without its dot.
    fn word(&self, slot: usize) -> Option<&'static str> {
        Some(self.chosen[slot]?.words.last()?.trim_start_matches('.'))
    }

    fn type_of(&self, ty: OperandType) -> Option<String> {
        match ty {
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

    fn space_of(&self, space: FormSpace) -> Option<&'static str> {
        match space {
            FormSpace::Unspecified => None,
            FormSpace::Fixed(name) => Some(name),
            FormSpace::Slot(slot) => self.word(slot),
        }
    }

    fn of_kind(
        &self,
        kind: OperandKind,
        operand: &FormOperand,
        ty: Option<&str>,
        place: usize,
        rng: &mut Rng,
    ) -> String {
        match kind {
            OperandKind::Predicate => register("pred", place),
            OperandKind::NotPredicate => format!("!{}", register("pred", place)),
            OperandKind::Immediate => self.constant(operand, ty, rng),
            OperandKind::SpecialRegister => "%laneid".to_owned(),
            OperandKind::Vector => {
                format!("{{{},{}}}", value_register(ty, place), value_register(ty, place + 1))
            }
            OperandKind::Sink => "_".to_owned(),
            OperandKind::Symbol => {
                self.space_of(operand.space).and_then(variable).unwrap_or("g_var").to_owned()
            }
            OperandKind::Label | OperandKind::LabelAddress => "Lend".to_owned(),
            OperandKind::Texture => "t_ref".to_owned(),
            OperandKind::Surface => "surf_ref".to_owned(),
            OperandKind::Address => match ty {
                // The address is in a register of this type.
                Some(_) => format!("[{}]", value_register(ty, place)),
                None => address(self.space_of(operand.space), place, rng),
            },
            OperandKind::Register | OperandKind::Parameter | OperandKind::Sampler => {
                value_register(ty, place)
            }
        }
    }

    fn constant(&self, operand: &FormOperand, ty: Option<&str>, rng: &mut Rng) -> String {
        let ty = ty.and_then(|ty| ptx::type_(&format!(".{ty}")));
        if let Some(range) = operand.ranges.first() {
            let high = match range.high {
                Bound::Number(high) => high,
                Bound::Operand(_) => range.low,
            };
            let value = match range.step {
                _ if rng.bool() => range.low,
                Step::Multiple(_) | Step::PowerOfTwo => high,
            };
            return value.to_string();
        }
        // A constant that bounds another one must be larger.
        let own = Bound::Operand(operand.index);
        let bounds =
            self.form.operands.iter().any(|other| other.ranges.iter().any(|range| range.high == own));
        match ty {
            Some(ty) if ty.kind == TypeKind::Float && ty.bits == 64 => "0d3FF0000000000000".to_owned(),
            Some(ty) if ty.kind == TypeKind::Float => "0f3F800000".to_owned(),
            _ if bounds => "4096".to_owned(),
            _ => ["0", "1", "7"][rng.usize(..3)].to_owned(),
        }
    }
}

/// A register for a value of the type.
fn value_register(ty: Option<&str>, number: usize) -> String {
    let Some(found) = ty.and_then(|ty| ptx::type_(&format!(".{ty}"))) else { return register("b32", number) };
    let own = found.name.trim_start_matches('.');
    if declarable().contains(&own) {
        return register(own, number);
    }
    let first = found.registers.first().map_or("b32", |name| name.trim_start_matches('.'));
    register(first, number)
}

fn address(space: Option<&str>, place: usize, rng: &mut Rng) -> String {
    let register = format!("[{}]", register("b64", place));
    let Some((space, variable)) = space.and_then(|space| Some((space, variable(space)?))) else {
        return register;
    };
    let symbol = format!("[{variable}]");
    match space.split("::").next() {
        Some("param" | "const") => symbol,
        _ => rng.choice([register, symbol, format!("[{variable}+16]")]).unwrap_or_default(),
    }
}
