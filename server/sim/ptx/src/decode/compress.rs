//! `spcompress` and `spdecompress`.

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Compression, Op, TensorOp};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn compress(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (element_bits, index_bits, num) = sizes(m)?;
        if !m.take("sp::2:4") {
            return Err(Why::form());
        }
        let &[indices, kept, data, descriptor] = instruction.operands() else { return Err(Why::operands()) };
        let index_words = (num * 32 / element_bits * index_bits).div_ceil(32);
        let lists = [(data, 2 * num), (kept, num), (indices, index_words)];
        let op = self.compression(element_bits, index_bits, lists)?;
        let descriptor = self.source_place(descriptor, Type::B32)?.0;
        self.with_entry(Op::Tensor, TensorOp::Compress(op, descriptor))
    }

    pub(super) fn decompress(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (element_bits, index_bits, num) = sizes(m)?;
        let (of_group, group) = m.find(factor).ok_or_else(Why::form)?;
        let &[data, indices, kept] = instruction.operands() else { return Err(Why::operands()) };
        let words = |bits: u32| (num * bits).div_ceil(32);
        let (all, stored) = (words(element_bits * group), words(element_bits * of_group));
        let lists = [(data, all), (kept, stored), (indices, words(index_bits * of_group))];
        let op = self.compression(element_bits, index_bits, lists)?;
        self.with_entry(Op::Tensor, TensorOp::Decompress(op, (of_group, group)))
    }

    /// `lists` are the operands with data, kept elements and indices, and their numbers of registers.
    fn compression(
        &mut self,
        element_bits: u32,
        index_bits: u32,
        lists: [(Operand, u32); 3],
    ) -> Result<Compression> {
        let list = |(operand, count): (Operand, u32)| {
            let list = self.register_list(operand)?;
            if list.len() as u32 == count { Ok(list) } else { Err(Why::operands()) }
        };
        let [data, kept, indices] = lists.map(list);
        Ok(Compression { element_bits, index_bits, data: data?, kept: kept?, indices: indices? })
    }
}

/// Bits of an element, bits of an index, and the number after `.x`.
fn sizes(m: &mut Modifiers<'_>) -> Result<(u32, u32, u32)> {
    let element_bits = m.require(&[("b8", 8), ("b16", 16)])?;
    let index_bits = m.require(&[("b2", 2), ("b4", 4)])?;
    let num = m.find(|name| name.strip_prefix('x')?.parse().ok()).ok_or_else(Why::form)?;
    Ok((element_bits, index_bits, num))
}

/// The two numbers of `sp::2:4`.
fn factor(name: &str) -> Option<(u32, u32)> {
    let (of_group, group) = name.strip_prefix("sp::")?.split_once(':')?;
    let (of_group, group): (u32, u32) = (of_group.parse().ok()?, group.parse().ok()?);
    (0 < of_group && of_group < group).then_some((of_group, group))
}
