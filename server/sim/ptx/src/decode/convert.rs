//! `cvt`.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::semantics::convert::{Clamp, Convert};
use warplens_sim_cuda::semantics::narrow::{self, Element, PackedConvert};
use warplens_sim_warp::scalar_type::{Class, ScalarType};
use warplens_sim_warp::soft_float::Rounding;

use super::arithmetic::signedness;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::operands::slot_of;
use super::{Result, Why};
use crate::program::{Op, PackedSources, RegisterSlot, Slots};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn convert(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        if m.take("pack") {
            return self.pack_saturated(instruction.operands(), m);
        }
        let (to, from) = (m.ty()?, m.ty()?);
        if to.name().ends_with("x2") || to.name().ends_with("x4") {
            return self.convert_packed(instruction.operands(), to, from, m);
        }
        let &[d, a] = instruction.operands() else { return Err(Why::operands()) };
        let (to_scalar, from_scalar) = (scalar(to)?, scalar(from)?);
        let integral = m.integer_rounding();
        let rounding = integral.or_else(|| m.rounding()).unwrap_or(Rounding::Nearest);
        let flush = m.take("ftz");
        let (clamp, positive_zero) = (clamp(m)?, m.take("pzo"));
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
            positive_zero,
            register_bits,
            source_bits: if matches!(source, RegisterSlot::Double(_)) { 64 } else { source_bits.min(32) },
        };
        let d = slot_of(destination, register_bits)?;
        let a = slot_of(source, if matches!(source, RegisterSlot::Double(_)) { 64 } else { 32 })?;
        if register_bits < to.bits() {
            return Err(Why::operands());
        }
        let (op, s) = self.with_entry(Op::Convert, convert)?;
        Ok((op, Slots { d, a, ..s }))
    }

    fn pack_saturated(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let _ = m.take("sat");
        let (to, from) = (m.ty()?, m.ty()?);
        // The type of `c`, if it is present.
        let _ = m.take("b32");
        if from != Type::S32 || !matches!(to.bits(), 2 | 4 | 8 | 16) {
            return Err(Why::form());
        }
        let zero = self.constant_word(0);
        let (&[d, a, b], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let c = rest.first().map_or(Ok(zero), |&c| self.source(c, Type::B32))?;
        let (d, a, b) = (self.destination(d, Type::B32)?, self.source(a, from)?, self.source(b, from)?);
        Ok((Op::PackSaturated(to.bits() as u8, signedness(to)), Slots { d, a, b, c, e: 0 }))
    }

    fn convert_packed(
        &mut self,
        operands: &[Operand],
        to: Type,
        from: Type,
        m: &mut Modifiers<'_>,
    ) -> Decoded {
        let random = m.take("rs");
        let scaled = m.word(&["scaled::n1::ue8m0", "scaled::n2::ue8m0"]).is_some();
        let widens = from != Type::F32 && matches!(to, Type::F16x2 | Type::Bf16x2);
        if to == Type::Ue5m3x2 {
            return Err(Why::new("what becomes of numbers that `.ue5m3` does not have is not documented"));
        }
        if scaled && !widens {
            return Err(Why::new("whether a scale multiplies or divides what is narrowed is not documented"));
        }
        let convert = PackedConvert {
            from: element(from)?,
            to: element(to)?,
            rounding: m.rounding().unwrap_or(Rounding::Nearest),
            clamp: clamp(m)?,
            positive_zero: m.take("pzo"),
        };
        let (&d, mut rest) = operands.split_first().ok_or_else(Why::operands)?;
        let hir = self.hir;
        let numbers = match *rest {
            [Operand::Vector(list), ref others @ ..] => {
                rest = others;
                hir.operands(list)
            }
            _ => {
                let count = if from == Type::F32 { 2 } else { 1 };
                let (numbers, others) = rest.split_at_checked(count).ok_or_else(Why::operands)?;
                rest = others;
                numbers
            }
        };
        let sources = numbers.iter().map(|&number| self.source(number, from)).collect::<Result<_, _>>()?;
        let (random, scales) = match (rest, random, scaled) {
            ([], false, false) => (None, None),
            (&[bits], true, false) => (Some(self.source(bits, Type::B32)?), None),
            (&[scales], false, true) => (None, Some(self.source(scales, Type::B16)?)),
            _ => return Err(Why::operands()),
        };
        let d = self.destination(d, to)?;
        let packed = PackedSources { convert, sources, random, scales };
        let (op, s) = self.with_entry(Op::ConvertPacked, packed)?;
        Ok((op, Slots { d, ..s }))
    }
}

fn clamp(m: &mut Modifiers<'_>) -> Result<Clamp> {
    Ok(match (m.take("sat"), m.take("satfinite"), m.take("relu")) {
        (false, false, false) => Clamp::None,
        (true, false, false) => Clamp::Saturate,
        (false, true, false) => Clamp::Finite,
        (false, false, true) => Clamp::Relu,
        (false, true, true) => Clamp::FiniteRelu,
        _ => return Err(Why::form()),
    })
}

/// The elements of a type that holds a pair. A single counts as one half of a pair.
fn element(ty: Type) -> Result<Element> {
    Ok(match ty {
        Type::F32 => Element::Single,
        Type::F16x2 => narrow::half(false),
        Type::Bf16x2 => narrow::half(true),
        Type::E4m3x2 => Element::Narrow(narrow::E4M3),
        Type::E5m2x2 => Element::Narrow(narrow::E5M2),
        Type::E2m3x2 => Element::Narrow(narrow::E2M3),
        Type::E3m2x2 => Element::Narrow(narrow::E3M2),
        Type::E2m1x2 => Element::Narrow(narrow::E2M1),
        Type::E4m3x4 => Element::Narrow(narrow::E4M3),
        Type::E5m2x4 => Element::Narrow(narrow::E5M2),
        Type::E2m3x4 => Element::Narrow(narrow::E2M3),
        Type::E3m2x4 => Element::Narrow(narrow::E3M2),
        Type::E2m1x4 => Element::Narrow(narrow::E2M1),
        Type::Ue5m3x2 => Element::Narrow(narrow::UE5M3),
        Type::Ue8m0x2 => Element::Power,
        Type::S2f6x2 => Element::Fixed,
        _ => return Err(not_simulated(ty)),
    })
}

fn scalar(ty: Type) -> Result<ScalarType> {
    let is_number = |ty: &ScalarType| match ty.class() {
        Class::Float => ty.format().is_some(),
        class => class != Class::Bits,
    };
    let scalar = ScalarType::from_name(ty.name()).filter(is_number);
    scalar.ok_or_else(|| not_simulated(ty))
}

fn not_simulated(ty: Type) -> Why {
    Why(smol_str::format_smolstr!("conversions of `.{}` are not simulated yet", ty.name()))
}
