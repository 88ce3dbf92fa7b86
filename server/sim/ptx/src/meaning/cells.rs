//! Addresses in tensor memory, as text.

use warplens_sim_cuda::tensor_memory::cells::{COLUMNS, LANES};
use warplens_sim_cuda::tensor_memory::use_log::CellRole;

use crate::program::{Address, TensorFactor, TensorMemoryOp};
use crate::tensor_memory::operation::CellAddress;

/// An operand that is an address in tensor memory: the object at the address, and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellOperand {
    of: &'static str,
    instruction: &'static str,
}

/// The meaning of the first operand of `tcgen05.alloc`.
pub(super) const ALLOCATION: &str =
    "Address in shared memory to which `tcgen05.alloc` writes the address in tensor memory of the columns.";

impl CellOperand {
    /// The operand of `tcgen05.dealloc`.
    pub(super) const FREED: CellOperand =
        CellOperand { of: "the columns to free", instruction: "tcgen05.dealloc" };

    /// The tensor memory addresses among an instruction's operands.
    pub(super) fn addresses(op: &TensorMemoryOp) -> Vec<(CellOperand, Address)> {
        let one = |role: CellRole, instruction, address: &Address| {
            vec![(CellOperand { of: role.name(), instruction }, *address)]
        };
        match op {
            TensorMemoryOp::Load(access) => one(CellRole::Loaded, "tcgen05.ld", &access.address),
            TensorMemoryOp::Store(access) => one(CellRole::Stored, "tcgen05.st", &access.address),
            TensorMemoryOp::Copy(copy) => one(CellRole::Copied, "tcgen05.cp", &copy.address),
            TensorMemoryOp::Product(product) => {
                let a = match &product.a {
                    TensorFactor::Cells(address) => Some((CellRole::A, address)),
                    TensorFactor::Shared(_) => None,
                };
                let metadata = product.metadata.as_ref().map(|address| (CellRole::Metadata, address));
                let scales = product
                    .scales
                    .iter()
                    .flat_map(|[of_a, of_b]| [(CellRole::ScaleOfA, of_a), (CellRole::ScaleOfB, of_b)]);
                let all = [(CellRole::D, &product.d)].into_iter().chain(a).chain(metadata).chain(scales);
                all.flat_map(|(role, address)| one(role, "tcgen05.mma", address)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn title(self) -> String {
        format!(
            "Address in tensor memory of {} of `{}`: the lane in bits 31 to 16, the column in bits 15 to 0.",
            self.of, self.instruction
        )
    }

    /// Describes the value of the statement's register, to which this offset is added.
    pub(super) fn describe_register(self, bits: u32, offset: u32) -> String {
        let text = self.describe(bits);
        if offset == 0 {
            return text;
        }
        let CellAddress { lane, column } = CellAddress::of_bits(bits.wrapping_add(offset));
        format!("{text} With the offset {offset:#x} it is lane {lane}, column {column}.")
    }

    pub(super) fn describe(self, bits: u32) -> String {
        let CellAddress { lane, column } = CellAddress::of_bits(bits);
        let outside = match (lane < LANES, column < COLUMNS) {
            (true, true) => String::new(),
            (false, _) => format!(" Tensor memory has {LANES} lanes."),
            (true, false) => format!(" Tensor memory has {COLUMNS} columns."),
        };
        format!(
            "`{bits:#010x}`: **lane {lane}, column {column}** of tensor memory.{outside} {}",
            self.title()
        )
    }
}
