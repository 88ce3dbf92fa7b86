//! Completes operations on tensor memory.

use warplens_sim_cuda::tensor_memory::cells::TensorMemory;
use warplens_sim_cuda::tensor_memory::instruction_descriptor::InstructionDescriptor;
use warplens_sim_cuda::tensor_memory::operation::{CellEffect, LateProblem};

use super::multiply;
use super::operation::{CellChunk, CellCopies, CellStores, Multiplication};
use crate::tensor::products::product_cost;

impl CellEffect for CellStores {
    fn complete(&self, _: &[u8], _: u32, memory: &mut TensorMemory) -> Option<LateProblem> {
        let block = memory.block(self.rank);
        self.values.iter().for_each(|&(lane, column, value)| block.set(lane, column, value));
        None
    }

    fn accesses(&self) -> u64 {
        self.values.len() as u64
    }
}

impl CellEffect for CellCopies {
    fn complete(&self, shared: &[u8], _: u32, memory: &mut TensorMemory) -> Option<LateProblem> {
        self.chunks.iter().for_each(|chunk| copy(chunk, self.widened, shared, memory));
        None
    }

    fn accesses(&self) -> u64 {
        self.chunks.len() as u64
    }
}

impl CellEffect for Multiplication {
    fn complete(&self, shared: &[u8], window: u32, memory: &mut TensorMemory) -> Option<LateProblem> {
        multiply::multiply(self, shared, window, memory)
    }

    fn accesses(&self) -> u64 {
        let InstructionDescriptor { m, n, k, .. } = self.descriptor;
        product_cost(m, n, k)
    }
}

fn copy(chunk: &CellChunk, widened: Option<u32>, shared: &[u8], memory: &mut TensorMemory) {
    let Some(bytes) = shared.get(chunk.from..chunk.from + 16) else { return };
    let mut data = [0; 16];
    data.copy_from_slice(bytes);
    if let Some(bits) = widened {
        data = widen(data, bits);
    }
    let block = memory.block(chunk.rank);
    for (column, word) in data.chunks_exact(4).enumerate() {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        block.set(chunk.lane, chunk.column + column as u32, word);
    }
}

/// Widens 16 elements of 4 or 6 bits to a byte each. Elements of 4 bits are in the middle of the byte.
fn widen(data: [u8; 16], bits: u32) -> [u8; 16] {
    let all = u128::from_le_bytes(data);
    std::array::from_fn(|index| {
        let element = (all >> (bits * index as u32)) as u8 & ((1 << bits) - 1);
        if bits == 4 { element << 2 } else { element }
    })
}
