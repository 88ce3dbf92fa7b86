//! The operands of the operations on tensor memory.

use super::instruction_descriptor::InstructionDescriptor;
use super::layout::DLayout;
use crate::tensor::descriptor::Descriptor;

/// The stores of a warp.
#[derive(Clone, Debug)]
pub(crate) struct CellStores {
    /// The rank of the block.
    pub(crate) rank: u32,
    /// Lane, column, value.
    pub(crate) values: Vec<(u32, u32, u32)>,
}

/// Copies from shared memory.
#[derive(Clone, Debug)]
pub(crate) struct CellCopies {
    /// 16 bytes of shared memory for four columns each.
    pub(crate) chunks: Vec<CellChunk>,
    /// Elements of so many bits are widened to bytes.
    pub(crate) widened: Option<u32>,
}

/// The copy of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellChunk {
    /// The offset in the shared memory of the cluster.
    pub(crate) from: usize,
    pub(crate) rank: u32,
    pub(crate) lane: u32,
    /// The first of four columns.
    pub(crate) column: u32,
}

/// A product.
#[derive(Clone, Debug)]
pub(crate) struct Multiplication {
    pub(crate) descriptor: InstructionDescriptor,
    pub(crate) layout: DLayout,
    /// The ranks of the blocks that take part: one, or the even and the odd one of a pair.
    pub(crate) ranks: Vec<u32>,
    pub(crate) a: FactorPlace,
    pub(crate) b: Descriptor,
    /// The address of D.
    pub(crate) d: CellAddress,
    pub(crate) accumulates: bool,
    /// D is multiplied by two to the power of minus this.
    pub(crate) shift: u32,
    /// The lanes of D that are not written, by block.
    pub(crate) disabled: [u128; 2],
    /// The metadata of a sparse A.
    pub(crate) metadata: Option<CellAddress>,
    /// The scale factors of A and B.
    pub(crate) scales: Option<[CellAddress; 2]>,
    /// Scale factors of a row.
    pub(crate) blocks: u32,
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FactorPlace {
    Shared(Descriptor),
    Cells(CellAddress),
}

/// An address in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellAddress {
    pub(crate) lane: u32,
    pub(crate) column: u32,
}

impl CellAddress {
    /// The lane is in the upper half of the bits, the column in the lower.
    pub(crate) fn of_bits(bits: u32) -> CellAddress {
        CellAddress { lane: bits >> 16, column: bits & 0xffff }
    }
}
