//! `cvt`

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::operands::slot_of;
use crate::ptx::program::{Op, Place};
use crate::ptx::registers::Slots;
use crate::ptx::semantics::convert::{Clamp, Convert, Scalar};
use crate::soft_float::Rounding;

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn convert(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let &[d, a] = instruction.operands() else { return Err(Why::operands()) };
        let (to, from) = (m.ty()?, m.ty()?);
        let (to_scalar, from_scalar) = (scalar(to)?, scalar(from)?);
        let integral = m.integer_rounding();
        let rounding = integral.or_else(|| m.rounding()).unwrap_or(Rounding::Nearest);
        let flush = m.take("ftz");
        let clamp = match (m.take("sat"), m.take("satfinite"), m.take("relu")) {
            (false, false, false) => Clamp::None,
            (true, false, false) => Clamp::Saturate,
            (false, true, false) => Clamp::Finite,
            (false, false, true) => Clamp::Relu,
            (false, true, true) => Clamp::FiniteRelu,
            _ => return Err(Why::form()),
        };
        let (destination, register_bits) = self.place(d)?;
        let (source, source_bits) = match a {
            // A special register is as wide as its own type.
            Operand::Special { .. } => self.source_place(a, Type::U32)?,
            _ => self.source_place(a, from)?,
        };
        let convert = Convert {
            from: from_scalar,
            to: to_scalar,
            rounding,
            integral: integral.is_some(),
            flush,
            clamp,
            register_bits,
            source_bits: if matches!(source, Place::Double(_)) { 64 } else { source_bits.min(32) },
        };
        let d = slot_of(destination, register_bits)?;
        let a = slot_of(source, if matches!(source, Place::Double(_)) { 64 } else { 32 })?;
        if register_bits < to.bits() {
            return Err(Why::operands());
        }
        let b = self.conversion(convert);
        Ok((Op::Convert, Slots { d, a, b, ..Slots::default() }))
    }

    fn conversion(&mut self, convert: Convert) -> u32 {
        let converts = &mut self.out.tables.converts;
        let at = converts.iter().position(|have| *have == convert).unwrap_or(converts.len());
        if at == converts.len() {
            converts.push(convert);
        }
        at as u32
    }
}

fn scalar(ty: Type) -> Result<Scalar, Why> {
    Ok(match ty {
        Type::U8 => Scalar::U8,
        Type::S8 => Scalar::S8,
        Type::U16 => Scalar::U16,
        Type::S16 => Scalar::S16,
        Type::U32 => Scalar::U32,
        Type::S32 => Scalar::S32,
        Type::U64 => Scalar::U64,
        Type::S64 => Scalar::S64,
        Type::F16 => Scalar::F16,
        Type::Bf16 => Scalar::Bf16,
        Type::Tf32 => Scalar::Tf32,
        Type::F32 => Scalar::F32,
        Type::F64 => Scalar::F64,
        _ => {
            return Err(Why(smol_str::format_smolstr!(
                "conversions of `.{}` are not simulated yet",
                ty.name()
            )));
        }
    })
}
