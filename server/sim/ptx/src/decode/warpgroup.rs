//! Products of a warpgroup (`wgmma`).

use std::sync::Arc;

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::semantics::matrix::{Factor, Sum};

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::matrix::{factor, sum};
use super::modifiers::Modifiers;
use super::operands::next;
use super::{Result, Why};
use crate::program::{FactorSource, Op, RegisterSlot, TensorOp, WarpgroupProduct};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn warpgroup(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let _ = (m.take("sync"), m.take("aligned"));
        let operands = instruction.operands();
        let op = match m.word(&["mma_async", "fence", "commit_group", "wait_group"]).ok_or_else(Why::form)? {
            "fence" => TensorOp::ProductFence,
            "commit_group" => TensorOp::CommitProducts,
            "wait_group" => {
                let &[left] = operands else { return Err(Why::operands()) };
                TensorOp::WaitForProducts(self.number(left)? as u32)
            }
            _ => TensorOp::Product(Arc::new(self.warpgroup_product(operands, m)?)),
        };
        self.with_entry(Op::Tensor, op)
    }

    fn warpgroup_product(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<WarpgroupProduct> {
        let is_sparse = m.take("sp");
        let (n, k) = m.find(shape).ok_or_else(Why::form)?;
        let (d_type, a_type, b_type) = (m.ty()?, m.ty()?, m.ty()?);
        let saturate = m.take("satfinite");
        let bits = (m.take("and") && m.take("popc")).then_some(Factor::BitsAnd);
        let factors = [factor(a_type, bits, false)?, factor(b_type, bits, false)?];
        let sum = sum(d_type)?;
        let width = factors[0].bits();
        let dense = 256 / width;
        if k != if is_sparse { 2 * dense } else { dense } || factors[1].bits() != width {
            return Err(Why::form());
        }
        let (&[d, a, b], mut rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let d = self.register_list(d)?;
        let wanted = if sum == Sum::F16 { n / 4 } else { n / 2 };
        if d.len() as u32 != wanted {
            return Err(Why::operands());
        }
        let a = match a {
            Operand::Vector(_) => FactorSource::Registers(self.register_list(a)?),
            _ => FactorSource::Shared(self.source_place(a, Type::U64)?.0),
        };
        if matches!(&a, FactorSource::Registers(registers) if registers.len() != 4) {
            return Err(Why::operands());
        }
        let b = self.source_place(b, Type::U64)?.0;
        let mut number = |rest: &mut &[Operand]| Ok(self.source_place(next(rest)?, Type::U32)?.0);
        let sparse = if is_sparse { Some((number(&mut rest)?, number(&mut rest)?)) } else { None };
        let accumulates = self.condition(next(&mut rest)?)?;
        let in_shared = matches!(a, FactorSource::Shared(_));
        let (negated, transposed) = match self.constants(rest)?[..] {
            [] if factors[0].is_integer() => ([false; 2], [false; 2]),
            [a, b] => ([a == -1, b == -1], [false; 2]),
            [a, b, trans_b] if !in_shared => ([a == -1, b == -1], [false, trans_b == 1]),
            [a, b, trans_a, trans_b] => ([a == -1, b == -1], [trans_a == 1, trans_b == 1]),
            _ => return Err(Why::operands()),
        };
        Ok(WarpgroupProduct {
            n,
            k,
            factors,
            sum,
            saturate,
            a,
            b,
            d,
            accumulates,
            negated,
            transposed,
            sparse,
        })
    }

    fn constants(&self, operands: &[Operand]) -> Result<Vec<i64>> {
        operands.iter().map(|&operand| Ok(self.number(operand)? as i64)).collect()
    }

    pub(super) fn register_list(&mut self, operand: Operand) -> Result<Vec<RegisterSlot>> {
        self.list(&operand).iter().map(|&operand| Ok(self.place(operand)?.0)).collect()
    }
}

/// The columns of B and the depth of a shape such as `m64n128k16`.
fn shape(name: &str) -> Option<(u32, u32)> {
    let (n, k) = name.strip_prefix("m64n")?.split_once('k')?;
    let (n, k): (u32, u32) = (n.parse().ok()?, k.parse().ok()?);
    (n.is_multiple_of(8) && (8..=256).contains(&n)).then_some((n, k))
}
