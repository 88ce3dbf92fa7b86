//! The operands of tensor memory operations.

use warplens_sim_cuda::tensor::descriptor::Descriptor;
use warplens_sim_cuda::tensor_memory::instruction_descriptor::InstructionDescriptor;
use warplens_sim_cuda::tensor_memory::layout::DLayout;

#[derive(Clone, Debug)]
pub(crate) struct CellStores {
    pub(crate) rank: u32,
    /// Lane, column, value.
    pub(crate) values: Vec<(u32, u32, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) struct CellCopies {
    /// Each chunk of 16 bytes fills four columns.
    pub(crate) chunks: Vec<CellChunk>,
    /// Elements of this many bits are widened to bytes.
    pub(crate) widened: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CellChunk {
    /// The offset in the cluster's shared memory.
    pub(crate) from: usize,
    pub(crate) rank: u32,
    pub(crate) lane: u32,
    pub(crate) column: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Multiplication {
    pub(crate) descriptor: InstructionDescriptor,
    pub(crate) layout: DLayout,
    /// The ranks of the participating blocks: one, or the even and the odd one of a pair.
    pub(crate) ranks: Vec<u32>,
    pub(crate) a: FactorPlace,
    pub(crate) b: Descriptor,
    pub(crate) d: CellAddress,
    pub(crate) accumulates: bool,
    /// D is multiplied by 2 to the power of minus this value.
    pub(crate) shift: u32,
    /// By block, the lanes of D that are not written.
    pub(crate) disabled: [u128; 2],
    pub(crate) metadata: Option<CellAddress>,
    pub(crate) scales: Option<[CellAddress; 2]>,
    /// Scale factors per row.
    pub(crate) blocks: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FactorPlace {
    Shared(Descriptor),
    Cells(CellAddress),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellAddress {
    pub(crate) lane: u32,
    pub(crate) column: u32,
}

impl CellAddress {
    /// The upper half of the bits is the lane, the lower half the column.
    pub(crate) fn of_bits(bits: u32) -> CellAddress {
        CellAddress { lane: bits >> 16, column: bits & 0xffff }
    }
}
