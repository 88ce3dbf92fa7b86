//! Video instructions.

use warplens_hir::ptx::{Component, Instruction, Operand, Type, TypeKind};

use super::Why;
use super::compare::comparison;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::ptx::program::Op;
use crate::ptx::registers::Slots;
use crate::ptx::semantics::video::{Part, Shape, Then, Video, VideoOp};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn video(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let opcode = instruction.opcode();
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
            e: self.out.tables.videos.len() as u32,
        };
        self.out.tables.videos.push(Video { op, a_signed, b_signed, d_signed, saturate, shape });
        Ok((Op::Video, s))
    }
}

fn operation(name: &str, m: &mut Modifiers<'_>) -> Result<VideoOp, Why> {
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

/// The register of an operand without its selector.
fn whole(operand: Operand) -> Operand {
    match operand {
        Operand::Register { name, .. } => Operand::Register { name, component: None },
        other => other,
    }
}

fn part(operand: Operand) -> Result<Option<Part>, Why> {
    let Operand::Register { component: Some(component), .. } = operand else { return Ok(None) };
    let (shift, bits) = match component {
        Component::B0 => (0, 8),
        Component::B1 => (8, 8),
        Component::B2 => (16, 8),
        Component::B3 => (24, 8),
        Component::H0 => (0, 16),
        Component::H1 => (16, 16),
        _ => return Err(Why::new("selectors of several parts are not simulated yet")),
    };
    Ok(Some(Part { shift, bits }))
}

fn single([d, a, b]: [Operand; 3], c: Option<Operand>, m: &mut Modifiers<'_>) -> Result<Shape, Why> {
    let then = match (part(d)?, c, m.word(&["add", "min", "max"])) {
        (None, None, None) => Then::Keep,
        (None, Some(_), Some("add")) => Then::Add,
        (None, Some(_), Some("min")) => Then::Min,
        (None, Some(_), Some(_)) => Then::Max,
        (Some(part), Some(_), None) => Then::Merge(part),
        _ => return Err(Why::operands()),
    };
    Ok(Shape::Single { a: part(a)?.unwrap_or(Part::WORD), b: part(b)?.unwrap_or(Part::WORD), then })
}

fn parallel(bits: u32, [d, a, b]: [Operand; 3], m: &mut Modifiers<'_>) -> Result<Shape, Why> {
    if part(a)?.is_some() || part(b)?.is_some() {
        return Err(Why::new("selectors of several parts are not simulated yet"));
    }
    let mask = part(d)?.map_or(0xf, |part| 1 << (part.shift / bits));
    Ok(Shape::Parallel { bits, mask, add: m.take("add") })
}
