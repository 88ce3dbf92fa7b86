//! `tcgen05.cp`: copies from shared memory to tensor memory.

use std::sync::Arc;

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::cells::CellAccessKind;
use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::tensor::descriptor::{Chunk, Descriptor, DescriptorKind};
use warplens_sim_cuda::tensor_memory::cells::{CellRange, LANES};
use warplens_sim_cuda::tensor_memory::operation::CellOperation;
use warplens_sim_cuda::tensor_memory::use_log::CellRole;
use warplens_sim_warp::finding_kind::FindingKind;

use super::address::{accessed, address, allocated, conflicts, group, note_use, ranks};
use super::operation::{CellChunk, CellCopies};
use super::product::begin;
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::get;
use crate::program::{CellCopy, CopyShape};
use crate::tensor::ranges;

impl CopyShape {
    /// Rows, and 16-byte chunks per row.
    pub(crate) fn size(self) -> (u32, u32) {
        match self {
            CopyShape::Rows128Bits256 => (128, 2),
            CopyShape::Rows4Bits256 => (4, 2),
            CopyShape::Rows128Bits128 => (128, 1),
            CopyShape::Rows64To02And13 | CopyShape::Rows64To01And23 => (64, 1),
            CopyShape::Rows32 => (32, 1),
        }
    }

    fn lanes(self, row: u32) -> impl Iterator<Item = u32> {
        let (first, step, count) = match self {
            CopyShape::Rows128Bits256 | CopyShape::Rows128Bits128 => (row, 0, 1),
            CopyShape::Rows4Bits256 => (32 * row, 0, 1),
            CopyShape::Rows64To02And13 => (row, 64, 2),
            CopyShape::Rows64To01And23 => (row % 32 + 64 * (row / 32), 32, 2),
            CopyShape::Rows32 => (row, 32, 4),
        };
        (0..count).map(move |index| first + step * index)
    }
}

/// `tcgen05.cp`, lane by lane.
pub(super) fn issue(copy: &CellCopy, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    group(copy.pair, ctx, mask)?;
    for lane in lanes(mask) {
        let mask = 1 << lane;
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.check_tensor_order(mask);
        }
        let bits = get(copy.descriptor, r, lane) as u64;
        let descriptor = Descriptor::decode(bits, DescriptorKind::TensorMemory).map_err(|problem| {
            let message = format!("the descriptor {bits:#018x} is invalid\n{problem}");
            Fault::new(FindingKind::MatrixDescriptor, message, mask)
        })?;
        let at = address(&copy.address, lane, r, ctx);
        let (rows, width) = copy.shape.size();
        let chunks: Vec<Chunk> = descriptor.chunks(rows, 16 * width, 8, false).collect();
        let (issuer, window) = (ctx.issuer(mask), ctx.spaces.window);
        let (mut parts, mut writes) = (Vec::new(), Vec::new());
        for rank in ranks(copy.pair, ctx) {
            let family = CopyFamily::TensorMemory;
            ranges::start_chunks(
                ("the source", AccessKind::Read),
                chunks.iter().copied(),
                rank,
                lane,
                family,
                ctx,
            )?;
            let mut range =
                CellRange { rank, lanes: 0, first: at.column, end: at.column.saturating_add(4 * width) };
            for chunk in &chunks {
                for lane in copy.shape.lanes(chunk.line).map(|lane| at.lane + lane) {
                    if lane >= LANES {
                        let message = format!(
                            "`tcgen05.cp` writes lane {lane} of tensor memory\nit has {LANES} lanes: the lane of the address \
                             must be 0"
                        );
                        return Err(Fault::new(FindingKind::TensorMemoryBounds, message, mask));
                    }
                    range.lanes |= 1 << lane;
                    let from = (rank * window.size) as usize + chunk.address as usize;
                    let column = at.column.saturating_add(chunk.first / 4);
                    parts.push(CellChunk { from, rank, lane, column });
                }
            }
            allocated("the destination", &range, ctx, mask)?;
            conflicts(&range, true, Some((issuer, None)), ctx, mask);
            accessed(CellAccessKind::Copy, &range, ctx, mask);
            note_use(CellRole::Copied, &range, ctx);
            let block = ctx.spaces.tensor_memory.block(rank);
            block.note_written(&range);
            block.note_defined(&range);
            writes.push(range);
        }
        let effect = Arc::new(CellCopies { chunks: parts, widened: copy.widened });
        let operation = CellOperation { name: "tcgen05.cp", shape: None, reads: Vec::new(), writes, effect };
        begin(operation, issuer, ctx)?;
    }
    Ok(())
}
