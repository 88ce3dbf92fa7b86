//! Comparisons and selection.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::semantics::compare::{Combine, Compare, Comparison, FloatClass};
use warplens_sim_warp::scalar_type::ScalarType;

use super::arithmetic::{division, subnormals};
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Combining, NO_SLOT, Op, SetTo, Slots, Width};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn compare(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        match instruction.opcode() {
            "setp" => self.setp(instruction.operands(), m),
            "set" => self.set(instruction.operands(), m),
            "selp" => self.selp(instruction.operands(), m),
            "slct" => self.slct(instruction.operands(), m),
            _ => self.testp(instruction.operands(), m),
        }
    }

    /// The comparison, and the slots of its operands `a`, `b` and, if it combines, `c`.
    fn comparison(
        &mut self,
        sources: &[Operand],
        ty: Type,
        flush: bool,
        m: &mut Modifiers<'_>,
    ) -> Result<(Compare, Combining, Slots)> {
        let op = m.find(comparison).ok_or_else(Why::form)?;
        let combine = m.choose(&[("and", Combine::And), ("or", Combine::Or), ("xor", Combine::Xor)]);
        let compare = Compare { op, ty: compare_type(ty)?, flush };
        let (&[a, b], rest) = sources.split_first_chunk().ok_or_else(Why::operands)?;
        let (a, b) = (self.source(a, ty)?, self.source(b, ty)?);
        let mut s = Slots { a, b, ..Slots::default() };
        let combining = match (combine, rest) {
            (None, []) => Combining::No,
            (Some(op), &[c]) => {
                let (slot, negated) = self.predicate(c)?;
                s.c = slot;
                if negated { Combining::WithNot(op) } else { Combining::With(op) }
            }
            _ => return Err(Why::operands()),
        };
        Ok((compare, combining, s))
    }

    fn setp(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let flush = m.take("ftz");
        let ty = m.ty()?;
        let (&d, sources) = operands.split_first().ok_or_else(Why::operands)?;
        let (compare, combining, mut s) = self.comparison(sources, ty, flush, m)?;
        let (p, q) = self.pair(d)?;
        s.d = self.predicate_destination(p)?.unwrap_or(NO_SLOT);
        s.e = match q {
            Some(q) => self.predicate_destination(q)?.unwrap_or(NO_SLOT),
            None => NO_SLOT,
        };
        if matches!(ty, Type::F16x2 | Type::Bf16x2) {
            return Ok((Op::SetPredicatePair(compare, combining), s));
        }
        Ok((Op::SetPredicate(compare, combining), s))
    }

    fn set(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let flush = m.take("ftz");
        let to = m.ty()?;
        if let Some(parts) = division(to) {
            let cmp = m.find(comparison).ok_or_else(Why::form)?;
            return Ok((Op::SetPacked(cmp, parts), self.uniform_slots(operands, to, 2)?));
        }
        let ty = m.ty()?;
        let (&d, sources) = operands.split_first().ok_or_else(Why::operands)?;
        let (compare, combining, mut s) = self.comparison(sources, ty, flush, m)?;
        s.d = self.destination(d, to)?;
        if matches!(ty, Type::F16x2 | Type::Bf16x2) {
            let to = match to {
                Type::F16x2 => SetTo::Half,
                Type::Bf16x2 => SetTo::Brain,
                _ => SetTo::Ones16,
            };
            return Ok((Op::SetPair(compare, combining, to), s));
        }
        let to = match to {
            Type::F32 => SetTo::Float,
            Type::F16 => SetTo::Half,
            Type::Bf16 => SetTo::Brain,
            Type::U32 | Type::S32 => SetTo::Ones,
            Type::U16 | Type::S16 => SetTo::Ones16,
            _ => return Err(Why::form()),
        };
        Ok((Op::Set(compare, combining, to), s))
    }

    fn selp(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        let &[d, a, b, p] = operands else { return Err(Why::operands()) };
        let (d, mut a, mut b) = (self.destination(d, ty)?, self.source(a, ty)?, self.source(b, ty)?);
        let (c, negated) = self.predicate(p)?;
        if negated {
            (a, b) = (b, a);
        }
        Ok((Op::Select(width(ty)?), Slots { d, a, b, c, e: 0 }))
    }

    fn slct(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let subnormals = subnormals(m);
        let (ty, by) = (m.ty()?, m.ty()?);
        let s = self.typed_slots(operands, &[ty, ty, ty, by])?;
        match by {
            Type::S32 => Ok((Op::SelectSigned(width(ty)?), s)),
            Type::F32 => Ok((Op::SelectFloat(width(ty)?, subnormals), s)),
            _ => Err(Why::form()),
        }
    }

    fn testp(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let class = m.choose(&[
            ("finite", FloatClass::Finite),
            ("infinite", FloatClass::Infinite),
            ("number", FloatClass::Number),
            ("notanumber", FloatClass::NotANumber),
            ("normal", FloatClass::Normal),
            ("subnormal", FloatClass::Subnormal),
        ]);
        let unsaid = || {
            Why::new(
                "the form without an operation is not simulated, because the assembler leaves the predicate undefined",
            )
        };
        let (class, ty) = (class.ok_or_else(unsaid)?, m.ty()?);
        let &[d, a] = operands else { return Err(Why::operands()) };
        let d = self.predicate_destination(d)?.ok_or_else(Why::operands)?;
        let a = self.source(a, ty)?;
        Ok((Op::TestClass(class, Width::of_bits(ty.bits())), Slots { d, a, ..Slots::default() }))
    }
}

fn width(ty: Type) -> Result<Width> {
    match ty.bits() {
        16 | 32 => Ok(Width::W32),
        64 => Ok(Width::W64),
        _ => Err(Why::form()),
    }
}

pub(super) fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "eq" => Comparison::Equal,
        "ne" => Comparison::NotEqual,
        "lt" | "lo" => Comparison::Less,
        "le" | "ls" => Comparison::LessEqual,
        "gt" | "hi" => Comparison::Greater,
        "ge" | "hs" => Comparison::GreaterEqual,
        "equ" => Comparison::EqualUnordered,
        "neu" => Comparison::NotEqualUnordered,
        "ltu" => Comparison::LessUnordered,
        "leu" => Comparison::LessEqualUnordered,
        "gtu" => Comparison::GreaterUnordered,
        "geu" => Comparison::GreaterEqualUnordered,
        "num" => Comparison::Numbers,
        "nan" => Comparison::AnyNan,
        _ => return None,
    })
}

fn compare_type(ty: Type) -> Result<ScalarType> {
    let element = match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        Type::Tf32 => return Err(Why::form()),
        ty => ty,
    };
    let scalar = ScalarType::from_name(element.name());
    scalar.filter(|ty| matches!(ty.bits(), 16 | 32 | 64)).ok_or_else(Why::form)
}
