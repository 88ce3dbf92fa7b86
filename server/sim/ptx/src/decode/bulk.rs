//! Asynchronous copies, stores and reductions.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::sanitizer::copies::CopyFamily;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::memory::atomic_type;
use super::modifiers::Modifiers;
use super::operands::next;
use super::{Result, Why};
use crate::program::{BulkCopy, Completion, Copy, CopyGroup, Fill, Op, RegisterSlot, Slots, Space};

impl<'l> FunctionDecoder<'l, '_> {
    /// All forms of `cp`.
    pub(super) fn copying(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        let reduces = m.take("reduce");
        let _ = m.take("async");
        if instruction.has("tensor") {
            return self.tensor_copy(reduces, operands, m);
        }
        if instruction.has("mbarrier") {
            return self.arrive_copies(operands, m);
        }
        let bulk = m.take("bulk");
        if let Some(group) = copy_group(bulk, m) {
            let left = match operands {
                &[left @ Operand::Constant(_)] => self.number(left)?,
                _ => 0,
            };
            return Ok((Op::CopyGroup(group), Slots { a: left as u32, ..Slots::default() }));
        }
        if m.take("prefetch") {
            let _ = (m.take("global"), m.take("L2"));
            m.ignore_caching();
            return Ok((Op::Nop, Slots::default()));
        }
        if bulk { self.bulk_copy(reduces, false, operands, m) } else { self.copy_async(operands, m) }
    }

    /// `cp.async`
    fn copy_async(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        m.ignore_caching();
        let _ = (m.space(), m.space());
        let &[to, from, size, ref rest @ ..] = operands else { return Err(Why::operands()) };
        let size = Some(self.number(size)?).filter(|size| matches!(size, 4 | 8 | 16));
        let size = size.ok_or_else(Why::operands)? as u32;
        let to = self.address(to, Some(Space::Shared))?;
        let from = self.address(from, Some(Space::Global))?;
        let (mut source_size, mut ignore) = (None, None);
        for &operand in rest {
            match operand {
                Operand::Constant(_) => source_size = Some(self.source(operand, Type::U32)?),
                Operand::Not(_) => ignore = Some(self.condition(operand)?),
                _ => match self.place(operand)?.0 {
                    RegisterSlot::Predicate(_) => ignore = Some(self.condition(operand)?),
                    RegisterSlot::Word(slot) => source_size = Some(slot),
                    // A cache policy is ignored.
                    RegisterSlot::Double(_) | RegisterSlot::Quad(_) => {}
                },
            }
        }
        self.with_entry(Op::Copy, Copy { to, from, size, source_size, ignore })
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk`; with `replicated`, their `multimem` forms.
    pub(super) fn bulk_copy(
        &mut self,
        reduces: bool,
        replicated: bool,
        operands: &[Operand],
        m: &mut Modifiers<'_>,
    ) -> Decoded {
        let (to_space, from_space) = (m.space(), m.space());
        let to_mbarrier = m.take("mbarrier::complete_tx::bytes");
        let _ = (m.take("bulk_group"), m.take("mbarrier::report::disabled"));
        let multicast = m.take("multicast::cluster") || m.take("multicast::cluster::32b");
        let (hinted, ends, masked) = (m.take("L2::cache_hint"), m.take("ignore_oob"), m.take("cp_mask"));
        m.ignore_caching();
        let reduction = if reduces {
            let op = m.atomic_op().ok_or_else(Why::form)?;
            Some((op, atomic_type(m.ty()?)?))
        } else {
            let _ = m.take("b128");
            None
        };
        let (&[to, from, size], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let mut rest = rest;
        let mut next = |wanted: bool| if wanted { next(&mut rest).map(Some) } else { Ok(None) };
        let ends = (next(ends)?, next(ends)?);
        let completion = next(to_mbarrier)?;
        let blocks = next(multicast)?;
        let _policy = next(hinted)?;
        let bytes = next(masked)?;
        let word = |decoder: &mut Self, operand: Option<Operand>| {
            operand.map(|operand| decoder.word(operand, Type::U32)).transpose()
        };
        let (left, right) = (word(self, ends.0)?, word(self, ends.1)?);
        let (blocks, bytes) = (word(self, blocks)?, word(self, bytes)?);
        let size = self.source(size, Type::U32)?;
        let completion = completion.map(|operand| self.address(operand, Some(Space::Shared))).transpose()?;
        let (to, from) = (self.address(to, to_space)?, self.address(from, from_space)?);
        let ends = left.zip(right);
        let copy = BulkCopy { to, from, size, reduction, completion, blocks, ends, bytes, replicated };
        self.with_entry(Op::BulkCopy, copy)
    }

    pub(super) fn word(&mut self, operand: Operand, ty: Type) -> Result<u32> {
        match self.source_place(operand, ty)?.0 {
            RegisterSlot::Word(slot) => Ok(slot),
            _ => Err(Why::operands()),
        }
    }

    /// `st.async`
    pub(super) fn store_async(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (operands, completion) = self.split_completion(operands, m)?;
        let access = self.store(operands, m)?;
        match completion {
            Some(completion) => self.with_entry(Op::StoreAsync, (access, completion)),
            None => self.with_entry(Op::Store, access),
        }
    }

    /// `red.async`
    pub(super) fn atomic_async(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let (operands, completion) = self.split_completion(operands, m)?;
        let atomic = self.atomic(true, operands, m)?;
        match completion {
            Some(completion) => self.with_entry(Op::AtomicAsync, (atomic, completion)),
            None => self.with_entry(Op::Atomic, atomic),
        }
    }

    /// Splits off the mbarrier that tracks the bytes, and returns the other operands and the completion.
    fn split_completion<'o>(
        &mut self,
        operands: &'o [Operand],
        m: &mut Modifiers<'_>,
    ) -> Result<(&'o [Operand], Option<Completion>)> {
        let has_completion = m.take("mbarrier::complete_tx::bytes");
        let &[_, _, mbarrier] = operands else { return Ok((operands, None)) };
        if !has_completion {
            return Err(Why::operands());
        }
        let space = m.has("shared::cluster").then_some(Space::Shared);
        Ok((&operands[..2], Some(self.address(mbarrier, space)?)))
    }

    /// `st.bulk`
    pub(super) fn bulk_store(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let _ = m.take("bulk");
        m.ignore_caching();
        let space = m.space();
        let &[to, size, _zero] = operands else { return Err(Why::operands()) };
        let to = self.address(to, space)?;
        let size = self.source_place(size, Type::U64)?.0;
        self.with_entry(Op::Fill, Fill { to, size, completion: None })
    }
}

/// The statement's effect on groups of copies, if it has any.
fn copy_group(bulk: bool, m: &mut Modifiers<'_>) -> Option<CopyGroup> {
    let word = m.word(&["commit_group", "wait_group", "wait_all"])?;
    let family = if bulk && word != "wait_all" { CopyFamily::Bulk } else { CopyFamily::Single };
    Some(match word {
        "commit_group" => CopyGroup::Commit(family),
        _ => CopyGroup::Wait { family, all: word == "wait_all", read: bulk && m.take("read") },
    })
}
