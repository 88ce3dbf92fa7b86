//! Video instructions.

use warplens_hir::ptx::{Component, Instruction, Operand, Type, TypeKind};
use warplens_sim_cuda::semantics::video::{Shape, Then, Video, VideoMad, VideoOp, VideoPart};

use super::compare::comparison;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Op, Slots};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn video(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let opcode = instruction.opcode();
        if opcode == "vmad" {
            return self.video_mad(instruction.operands(), m);
        }
        let (name, bits) = match opcode.strip_suffix(['2', '4']) {
            Some(name) if opcode.ends_with('2') => (name, Some(16)),
            Some(name) => (name, Some(8)),
            None => (opcode, None),
        };
        let op = operation(name, m)?;
        let signed = |ty: Type| ty.kind() == TypeKind::Signed;
        // `vset` has no destination type: its result is an unsigned 0 or 1.
        let d_signed = if name == "vset" { false } else { signed(m.ty()?) };
        let (a_signed, b_signed) = (signed(m.ty()?), signed(m.ty()?));
        let saturate = m.take("sat");
        let (&[d, a, b], rest) = instruction.operands().split_first_chunk().ok_or_else(Why::operands)?;
        let c = rest.first().copied();
        let shape = match bits {
            Some(bits) => parallel(bits, [d, a, b], m)?,
            None => single([d, a, b], c, m)?,
        };
        let c = match c {
            Some(c) => self.source(c, Type::B32)?,
            None => self.constant_word(0),
        };
        let s = Slots {
            d: self.destination(whole(d), Type::B32)?,
            a: self.source(whole(a), Type::B32)?,
            b: self.source(whole(b), Type::B32)?,
            c,
            e: 0,
        };
        let (op, _) =
            self.with_entry(Op::Video, Video { op, a_signed, b_signed, d_signed, saturate, shape })?;
        Ok((op, s))
    }
}

impl FunctionDecoder<'_, '_> {
    fn video_mad(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let &[d, a, b, c] = operands else { return Err(Why::operands()) };
        let signed = |ty: Type| ty.kind() == TypeKind::Signed;
        let (_, a_signed, b_signed) = (m.ty()?, signed(m.ty()?), signed(m.ty()?));
        let shift = m.choose(&[("shr7", 7), ("shr15", 15)]).unwrap_or(0);
        let ((a, minus_a), (b, minus_b), (c, negate_c)) = (self.signed(a)?, self.signed(b)?, self.signed(c)?);
        let mad = VideoMad {
            a: (part(a)?.unwrap_or(VideoPart::WORD), a_signed),
            b: (part(b)?.unwrap_or(VideoPart::WORD), b_signed),
            negate_product: minus_a != minus_b,
            negate_c,
            plus_one: m.take("po"),
            shift,
            saturate: m.take("sat"),
        };
        let s = Slots {
            d: self.destination(d, Type::B32)?,
            a: self.source(whole(a), Type::B32)?,
            b: self.source(whole(b), Type::B32)?,
            c: self.source(c, Type::B32)?,
            e: 0,
        };
        Ok((self.with_entry(Op::VideoMad, mad)?.0, s))
    }

    /// Splits a negation off an operand; returns the inner operand and whether it was negated.
    fn signed(&self, operand: Operand) -> Result<(Operand, bool)> {
        let Operand::Negated(list) = operand else { return Ok((operand, false)) };
        let [inner] = self.hir.operands(list) else { return Err(Why::operands()) };
        Ok((*inner, true))
    }
}

fn operation(name: &str, m: &mut Modifiers<'_>) -> Result<VideoOp> {
    Ok(match name {
        "vadd" => VideoOp::Add,
        "vsub" => VideoOp::Sub,
        "vabsdiff" => VideoOp::AbsoluteDifference,
        "vmin" => VideoOp::Min,
        "vmax" => VideoOp::Max,
        "vavrg" => VideoOp::Average,
        "vshl" => VideoOp::ShiftLeft(m.word(&["wrap", "clamp"]) == Some("wrap")),
        "vshr" => VideoOp::ShiftRight(m.word(&["wrap", "clamp"]) == Some("wrap")),
        "vset" => VideoOp::Set(m.find(comparison).ok_or_else(Why::form)?),
        _ => return Err(Why::form()),
    })
}

/// The register of an operand, without its selector.
fn whole(operand: Operand) -> Operand {
    match operand {
        Operand::Register { name, .. } => Operand::Register { name, component: None },
        other => other,
    }
}

fn part(operand: Operand) -> Result<Option<VideoPart>> {
    let Operand::Register { component: Some(component), .. } = operand else { return Ok(None) };
    let (shift, bits) = match component {
        Component::B0 => (0, 8),
        Component::B1 => (8, 8),
        Component::B2 => (16, 8),
        Component::B3 => (24, 8),
        Component::H0 => (0, 16),
        Component::H1 => (16, 16),
        _ => return Err(Why::new("a selector names no part of its operand")),
    };
    Ok(Some(VideoPart { shift, bits }))
}

fn single([d, a, b]: [Operand; 3], c: Option<Operand>, m: &mut Modifiers<'_>) -> Result<Shape> {
    let then = match (part(d)?, c, m.word(&["add", "min", "max"])) {
        // Without a secondary operation, a third operand is allowed but ignored.
        (None, _, None) => Then::Keep,
        (None, Some(_), Some("add")) => Then::Add,
        (None, Some(_), Some("min")) => Then::Min,
        (None, Some(_), Some(_)) => Then::Max,
        (Some(part), Some(_), None) => Then::Merge(part),
        _ => return Err(Why::operands()),
    };
    Ok(Shape::Single { a: part(a)?.unwrap_or(VideoPart::WORD), b: part(b)?.unwrap_or(VideoPart::WORD), then })
}

fn parallel(bits: u32, [d, a, b]: [Operand; 3], m: &mut Modifiers<'_>) -> Result<Shape> {
    let (a, b) = match bits {
        8 => (selector(a)?.unwrap_or(0x3210), selector(b)?.unwrap_or(0x7654)),
        _ => (selector(a)?.unwrap_or(0x10), selector(b)?.unwrap_or(0x32)),
    };
    let mask = match component(d) {
        None => 0xf,
        Some(Component::Bytes(bytes)) => bytes.numbers().fold(0, |set, number| set | 1 << number),
        Some(Component::Halves(digits)) => 1 << (digits & 3) | 1 << (digits >> 4 & 3),
        Some(_) => part(d)?.map_or(0xf, |part| 1 << (part.shift / bits)),
    };
    Ok(Shape::Parallel { bits, a, b, mask, add: m.take("add") })
}

fn component(operand: Operand) -> Option<Component> {
    if let Operand::Register { component, .. } = operand { component } else { None }
}

/// The parts of both words that an operand of a parallel operation selects, if it has a selector.
fn selector(operand: Operand) -> Result<Option<u16>> {
    match component(operand) {
        None => Ok(None),
        Some(Component::Halves(digits)) => Ok(Some(digits.into())),
        Some(component) => match component {
            Component::Bytes(bytes) => bytes.all(),
            _ => None,
        }
        .map(Some)
        .ok_or_else(|| Why::new("a selector does not name a part for each lane")),
    }
}
