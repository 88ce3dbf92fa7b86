//! `spcompress` and `spdecompress`.

use warplens_hir::ptx::{Instruction, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::program::{Compression, Op, TensorOp};

impl<'l> FunctionDecoder<'l, '_> {
    /// `spcompress`
    pub(super) fn compress(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (element_bits, index_bits, num) = sizes(m)?;
        if !m.take("sp::2:4") {
            return Err(Why::form());
        }
        let &[indices, kept, data, descriptor] = instruction.operands() else { return Err(Why::operands()) };
        let op = Compression {
            element_bits,
            index_bits,
            data: self.register_list(data)?,
            kept: self.register_list(kept)?,
            indices: self.register_list(indices)?,
        };
        let index_words = (num * 32 / element_bits * index_bits).div_ceil(32);
        let wanted = [2 * num, num, index_words];
        if [&op.data, &op.kept, &op.indices].map(|list| list.len() as u32) != wanted {
            return Err(Why::operands());
        }
        let descriptor = self.source_place(descriptor, Type::B32)?.0;
        self.with_entry(Op::Tensor, TensorOp::Compress(op, descriptor))
    }

    /// `spdecompress`
    pub(super) fn decompress(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (element_bits, index_bits, num) = sizes(m)?;
        let (of_group, group) = m.find(factor).ok_or_else(Why::form)?;
        let &[data, indices, kept] = instruction.operands() else { return Err(Why::operands()) };
        let op = Compression {
            element_bits,
            index_bits,
            data: self.register_list(data)?,
            kept: self.register_list(kept)?,
            indices: self.register_list(indices)?,
        };
        let words = |bits: u32| (num * bits).div_ceil(32);
        let wanted =
            [words(element_bits * group), words(element_bits * of_group), words(index_bits * of_group)];
        if [&op.data, &op.kept, &op.indices].map(|list| list.len() as u32) != wanted {
            return Err(Why::operands());
        }
        let op = TensorOp::Decompress(op, (of_group, group));
        self.with_entry(Op::Tensor, op)
    }
}

/// Bits of an element, bits of an index, and the number after `.x`.
fn sizes(m: &mut Modifiers<'_>) -> Result<(u32, u32, u32), Why> {
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
