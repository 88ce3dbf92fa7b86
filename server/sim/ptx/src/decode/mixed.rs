//! Arithmetic on operands of different float formats.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::semantics::mixed::{Elements, Mixed, MixedOp};
use warplens_sim_cuda::semantics::narrow::{self, Element};
use warplens_sim_warp::soft_float::Rounding;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{MixedOperands, Op};

/// Whether an instruction names more than one type.
pub(super) fn is_mixed(instruction: Instruction<'_>) -> bool {
    instruction.modifiers().iter().filter(|name| Type::from_name(name).is_some()).count() > 1
}

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn mixed(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (rounding, flush) = (m.rounding().unwrap_or(Rounding::Nearest), m.take("ftz"));
        let (saturate, finite) = (m.take("sat"), m.take("satfinite"));
        let (to, first) = (m.ty()?, m.ty()?);
        let second = m.ty().ok();
        let (op, types) = match instruction.opcode() {
            "add" => (MixedOp::Add, [first, second.unwrap_or(to), to]),
            "sub" => (MixedOp::Sub, [first, second.unwrap_or(to), to]),
            "mul" => (MixedOp::Mul, [first, second.unwrap_or(first), to]),
            _ => (MixedOp::Fma, [first, second.unwrap_or(first), m.ty().unwrap_or(to)]),
        };
        let (to_elements, count) = elements(to)?;
        let mut from = [to_elements; 3];
        for (elements_of, ty) in from.iter_mut().zip(types) {
            let (elements, number) = elements(ty)?;
            if number != count {
                return Err(Why::form());
            }
            *elements_of = elements;
        }
        let (&d, sources) = instruction.operands().split_first().ok_or_else(Why::operands)?;
        let vectors = instruction.operands().iter().any(|operand| matches!(operand, Operand::Vector(_)));
        if vectors {
            return Err(Why::new("what vectors of registers mean here is not documented"));
        }
        if sources.len() != op.operands() {
            return Err(Why::operands());
        }
        let (d, _) = self.place(d)?;
        let operands = sources
            .iter()
            .zip(types)
            .map(|(&source, ty)| Ok(self.source_place(source, ty)?.0))
            .collect::<Result<_>>()?;
        let mixed = Mixed { op, to: to_elements, from, count, rounding, flush, saturate, finite };
        self.with_entry(Op::Mixed, MixedOperands { mixed, d, operands })
    }
}

fn elements(ty: Type) -> Result<(Elements, u32)> {
    let of = |element, stride| Elements { element, stride };
    Ok(match ty {
        Type::F32 => (of(Element::Single, 32), 1),
        Type::F32x2 => (of(Element::Single, 32), 2),
        Type::F16 => (of(narrow::half(false), 16), 1),
        Type::F16x2 => (of(narrow::half(false), 16), 2),
        Type::Bf16 => (of(narrow::half(true), 16), 1),
        Type::Bf16x2 => (of(narrow::half(true), 16), 2),
        Type::E4m3x4 => (of(Element::Narrow(narrow::E4M3), 8), 4),
        Type::E5m2x4 => (of(Element::Narrow(narrow::E5M2), 8), 4),
        Type::E3m2x4 => (of(Element::Narrow(narrow::E3M2), 8), 4),
        Type::E2m3x4 => (of(Element::Narrow(narrow::E2M3), 8), 4),
        Type::E2m1x4 => (of(Element::Narrow(narrow::E2M1), 4), 4),
        Type::E2m1p4x4 => (of(Element::Narrow(narrow::E2M1), 8), 4),
        Type::Ue8m0x4 => (of(Element::Power, 8), 4),
        _ => return Err(Why::form()),
    })
}
