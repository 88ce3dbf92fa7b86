//! Logic, counting, fields, permutations and shifts.

use warplens_hir::ptx::{Instruction, Operand, Type, TypeKind};
use warplens_sim_cuda::semantics::bits::{Count, Logic, Permute, Shift};
use warplens_sim_cuda::semantics::compare::Combine;
use warplens_sim_warp::scalar_type::ScalarType;

use super::arithmetic::signedness;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Beyond, Lop3Predicate, NO_SLOT, Op, Slots, Width};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn bits(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        match instruction.opcode() {
            "and" => self.logic(Logic::And, operands, m),
            "or" => self.logic(Logic::Or, operands, m),
            "xor" => self.logic(Logic::Xor, operands, m),
            "not" => self.logic(Logic::Not, operands, m),
            "cnot" => self.logic(Logic::CNot, operands, m),
            "lop3" => self.lop3(operands, m),
            "popc" => self.count(Count::Population, operands, m),
            "clz" => self.count(Count::LeadingZeros, operands, m),
            "bfind" => self.find(operands, m),
            "brev" => {
                let ty = m.ty()?;
                Ok((Op::Reverse(Width::of_bits(ty.bits())), self.uniform_slots(operands, ty, 1)?))
            }
            "bfe" | "bfi" => self.field(instruction, m),
            "fns" => {
                let ty = m.ty()?;
                Ok((Op::FindNth, self.uniform_slots(operands, ty, 3)?))
            }
            "bmsk" => {
                let (beyond, ty) = (beyond(m)?, m.ty()?);
                Ok((Op::BitMask(beyond), self.uniform_slots(operands, ty, 2)?))
            }
            "szext" => {
                let (beyond, ty) = (beyond(m)?, m.ty()?);
                Ok((Op::Extend(beyond, signedness(ty)), self.uniform_slots(operands, ty, 2)?))
            }
            "clmad" => {
                let op = if m.take("hi") { Op::CarrylessMadHigh } else { Op::CarrylessMadLow };
                let (_, ty) = (m.take("lo"), m.ty()?);
                Ok((op, self.uniform_slots(operands, ty, 3)?))
            }
            "prmt" => self.permute(operands, m),
            "shl" | "shr" => self.shift(instruction, m),
            _ => self.funnel(operands, m),
        }
    }

    fn logic(&mut self, op: Logic, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        let width = width(ty)?;
        let sources = if matches!(op, Logic::Not | Logic::CNot) { 1 } else { 2 };
        Ok((Op::Logic(op, width), self.uniform_slots(operands, ty, sources)?))
    }

    fn lop3(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let combine = m.choose(&[("or", Combine::Or), ("and", Combine::And)]);
        let ty = m.ty()?;
        let (&d, rest) = operands.split_first().ok_or_else(Why::operands)?;
        let &[a, b, c, table, ref q @ ..] = rest else { return Err(Why::operands()) };
        let table = self.number(table)? as u8;
        let (a, b, c) = (self.source(a, ty)?, self.source(b, ty)?, self.source(c, ty)?);
        let (d, p) = self.pair(d)?;
        let (Some(combine), Some(p), &[q]) = (combine, p, q) else {
            if d == Operand::Sink {
                return Ok((Op::Nop, Slots::default()));
            }
            let d = self.destination(d, ty)?;
            return Ok((Op::Lop3(table), Slots { d, a, b, c, ..Slots::default() }));
        };
        let d = if d == Operand::Sink { NO_SLOT } else { self.destination(d, ty)? };
        let e = self.predicate_destination(p)?.ok_or_else(Why::operands)?;
        let with = self.condition(q)?;
        let (op, _) = self.with_entry(Op::Lop3Predicate, Lop3Predicate { table, c, combine, with })?;
        Ok((op, Slots { d, a, b, c, e }))
    }

    fn count(&mut self, op: Count, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        Ok((Op::Count(op, Width::of_bits(ty.bits())), self.typed_slots(operands, &[Type::U32, ty])?))
    }

    fn find(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let shift = m.take("shiftamt");
        let ty = m.ty()?;
        let op = match (ty.kind() == TypeKind::Signed, shift) {
            (false, false) => Count::FindUnsigned,
            (true, false) => Count::FindSigned,
            (false, true) => Count::FindUnsignedShift,
            (true, true) => Count::FindSignedShift,
        };
        Ok((Op::Count(op, Width::of_bits(ty.bits())), self.typed_slots(operands, &[Type::U32, ty])?))
    }

    fn field(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        let width = Width::of_bits(ty.bits());
        let operands = instruction.operands();
        if instruction.opcode() == "bfe" {
            let s = self.typed_slots(operands, &[ty, ty, Type::U32, Type::U32])?;
            return Ok((Op::ExtractField(signedness(ty), width), s));
        }
        Ok((Op::InsertField(width), self.typed_slots(operands, &[ty, ty, ty, Type::U32, Type::U32])?))
    }

    fn permute(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let mode = m.choose(&[
            ("f4e", Permute::Forward4),
            ("b4e", Permute::Backward4),
            ("rc8", Permute::Replicate8),
            ("ecl", Permute::EdgeLeft),
            ("ecr", Permute::EdgeRight),
            ("rc16", Permute::Replicate16),
        ]);
        let (mode, ty) = (mode.unwrap_or(Permute::Selectors), m.ty()?);
        Ok((Op::Permute(mode), self.uniform_slots(operands, ty, 3)?))
    }

    fn shift(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        let op = match (instruction.opcode(), ty.kind()) {
            ("shl", _) => Shift::Left,
            (_, TypeKind::Signed) => Shift::ArithmeticRight,
            _ => Shift::Right,
        };
        let s = self.typed_slots(instruction.operands(), &[ty, ty, Type::U32])?;
        Ok((Op::Shift(op, width(ty)?), s))
    }

    fn funnel(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let shift = m.require(&[("l", Shift::Left), ("r", Shift::Right)])?;
        let (beyond, ty) = (beyond(m)?, m.ty()?);
        Ok((Op::Funnel(shift, beyond), self.uniform_slots(operands, ty, 3)?))
    }
}

fn beyond(m: &mut Modifiers<'_>) -> Result<Beyond> {
    m.require(&[("wrap", Beyond::Wraps), ("clamp", Beyond::Clamps)])
}

/// The width of an untyped operation on values of a type.
pub(super) fn width(ty: Type) -> Result<ScalarType> {
    match ty.bits() {
        1 => Ok(ScalarType::Predicate),
        16 => Ok(ScalarType::B16),
        32 => Ok(ScalarType::B32),
        64 => Ok(ScalarType::B64),
        _ => Err(Why::form()),
    }
}
