//! Copies of boxes of tensors, and tensor maps.

use warplens_hir::ptx::{Instruction, Operand, Type};
use warplens_sim_cuda::tensor::map;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::operands::{last, next};
use super::{Result, Why};
use crate::program::{BoxMode, Op, RegisterSlot, Slots, Space, TensorCopy, TensorOp};

impl<'l> FunctionDecoder<'l, '_> {
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor`
    pub(super) fn tensor_copy(
        &mut self,
        reduces: bool,
        operands: &[Operand],
        m: &mut Modifiers<'_>,
    ) -> Decoded {
        let _ = (m.take("bulk"), m.take("tensor"));
        let (rank, mode) = rank_and_mode(m)?;
        if m.take("prefetch") {
            m.retain(|_| false);
            return Ok((Op::Nop, Slots::default()));
        }
        // `.shared::cluster.global` and `.shared::cta.global` load; `.global.shared::cta` stores.
        let first = m.space().ok_or_else(Why::form)?;
        let _ = m.space().ok_or_else(Why::form)?;
        let loads = first == Space::Shared;
        let tracked = m.take("mbarrier::complete_tx::bytes");
        let _ = m.take("bulk_group");
        let multicast = m.take("multicast::cluster");
        let pairs = m.take("cta_group::2");
        let _ = m.take("cta_group::1");
        let hinted = m.take("L2::cache_hint");
        m.ignore_caching();
        let reduction = if reduces { Some(m.atomic_op().ok_or_else(Why::form)?) } else { None };
        m.finish()?;
        if loads != tracked {
            return Err(Why::form());
        }
        let (shared, map, mut rest) = match *operands {
            [shared, map, ref rest @ ..] if loads => (shared, map, rest),
            [map, shared, ref rest @ ..] => (shared, map, rest),
            _ => return Err(Why::operands()),
        };
        let completion =
            if loads { Some(self.address(next(&mut rest)?, Some(Space::Shared))?) } else { None };
        if hinted {
            last(&mut rest)?;
        }
        let blocks = if multicast { Some(self.word(last(&mut rest)?, Type::U16)?) } else { None };
        let (coordinates, offsets) = self.box_position(mode, rank, map, rest)?;
        let map = self.address(map, None)?;
        let shared = self.address(shared, Some(Space::Shared))?;
        self.with_entry(
            Op::Tensor,
            TensorOp::Copy(TensorCopy {
                loads,
                mode,
                rank,
                map,
                coordinates,
                offsets,
                shared,
                completion,
                blocks,
                pairs,
                reduction,
            }),
        )
    }

    /// The coordinates of a box, which follow the address of its map, and its im2col offsets.
    fn box_position(
        &mut self,
        mode: BoxMode,
        rank: u8,
        map: Operand,
        offsets: &[Operand],
    ) -> Result<(Vec<RegisterSlot>, Vec<RegisterSlot>)> {
        let offsets = match offsets {
            [] => Vec::new(),
            [offsets] if mode == BoxMode::Im2col => self.source_places(self.list(offsets), Type::U16)?,
            _ => return Err(Why::operands()),
        };
        let inside = self.hir.address(map).ok_or_else(Why::operands)?;
        let [coordinates] = inside.rest else { return Err(Why::operands()) };
        let coordinates = self.source_places(self.list(coordinates), Type::S32)?;
        let wanted = if mode == BoxMode::Rows { 5 } else { usize::from(rank) };
        if coordinates.len() != wanted || mode == BoxMode::Im2col && rank < 3 {
            return Err(Why::operands());
        }
        Ok((coordinates, offsets))
    }

    /// `tensormap.replace`, `tensormap.cp_fenceproxy`
    pub(super) fn tensor_map(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        if m.take("cp_fenceproxy") {
            m.retain(|name| !matches!(name, "tensormap::generic" | "sync" | "aligned"));
            m.ignore_caching();
            let _ = (m.space(), m.space());
            let &[to, from, _size] = operands else { return Err(Why::operands()) };
            let to = self.address(to, Some(Space::Global))?;
            let from = self.address(from, Some(Space::Shared))?;
            return self.with_entry(Op::Tensor, TensorOp::CopyMap { to, from });
        }
        let _ = (m.take("replace"), m.take("tile"), m.take("b1024"));
        let space = m.space();
        let name = m.find(|name| map::field(name, 0).map(|_| name.to_owned())).ok_or_else(Why::form)?;
        let ty = m.ty()?;
        let (map, ordinal, value) = match *operands {
            [map, value] => (map, 0, value),
            [map, ordinal, value] => (map, self.number(ordinal)? as usize, value),
            _ => return Err(Why::operands()),
        };
        let (offset, size) = map::field(&name, ordinal).ok_or_else(Why::operands)?;
        let value = self.source_place(value, ty)?.0;
        let map = self.address(map, space)?;
        self.with_entry(
            Op::Tensor,
            TensorOp::ReplaceField { map, field: (offset as u32, size as u32), value },
        )
    }

    /// `fence.proxy.tensormap`
    pub(super) fn tensor_map_fence(&mut self, instruction: Instruction<'l>) -> Decoded {
        match *instruction.operands() {
            [map, ..] => {
                let map = self.address(map, None)?;
                self.with_entry(Op::Tensor, TensorOp::AcquireMap(map))
            }
            [] => self.with_entry(Op::Tensor, TensorOp::ReleaseMaps),
        }
    }
}

fn rank_and_mode(m: &mut Modifiers<'_>) -> Result<(u8, BoxMode)> {
    let rank = m.choose(&[("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)]);
    let mode = m.choose(&[
        ("tile", BoxMode::Tile),
        ("tile::gather4", BoxMode::Rows),
        ("tile::scatter4", BoxMode::Rows),
        ("im2col", BoxMode::Im2col),
        ("im2col_no_offs", BoxMode::Im2col),
    ]);
    Ok((rank.ok_or_else(Why::form)?, mode.unwrap_or(BoxMode::Tile)))
}
