//! What instructions require of their operands, by opcode and modifiers.

use smol_str::{SmolStr, format_smolstr};
use warplens_hir::ptx::{AddressForm, Instruction, Operand};
use warplens_sim_cuda::registers::WIDTH;

use super::function::FunctionDecoder;
use crate::program::{
    Access, Address, Atomic, Barrier, BarrierKind, BulkCopy, Copy, FragmentAccess, Instruction as Decoded,
    LaneOperand, Op, Precondition, RegisterSlot, Requirement, Slot, Space, TensorCopy, TensorOp, Window,
};

/// The window of an address without a state space: opcode, operation and windows. The address is the first one.
const GENERIC: &[(&str, &str, Window)] = &[
    ("atom", "", Window::GlobalOrShared),
    ("red", "", Window::GlobalOrShared),
    ("wmma", "load", Window::GlobalOrShared),
    ("wmma", "store", Window::GlobalOrShared),
    ("ldmatrix", "", Window::OwnShared),
    ("stmatrix", "", Window::OwnShared),
    ("st", "bulk", Window::OwnShared),
    ("tcgen05", "alloc", Window::OwnShared),
    ("mbarrier", "init", Window::OwnShared),
    ("mbarrier", "inval", Window::OwnShared),
    ("mbarrier", "test_wait", Window::OwnShared),
    ("mbarrier", "try_wait", Window::OwnShared),
    ("ldu", "", Window::Global),
    ("discard", "", Window::Global),
    ("applypriority", "", Window::Global),
];

/// Operands that all lanes of a warp must agree on: opcode, operation, number of the operand and name.
const SAME: &[(&str, &str, usize, &str)] = &[
    ("wmma", "load", 1, "address"),
    ("wmma", "load", 2, "stride"),
    ("wmma", "store", 0, "address"),
    ("wmma", "store", 2, "stride"),
    ("tcgen05", "alloc", 1, "number of columns"),
    ("tcgen05", "dealloc", 0, "address"),
    ("tcgen05", "dealloc", 1, "number of columns"),
    ("wgmma", "mma_async", 1, "descriptor of A"),
    ("wgmma", "mma_async", 2, "descriptor of B"),
];

impl<'l> FunctionDecoder<'l, '_> {
    /// The preconditions of an instruction that was decoded.
    pub(super) fn preconditions(
        &mut self,
        instruction: Instruction<'l>,
        decoded: &Decoded,
    ) -> Box<[Precondition]> {
        let mut required = self.windows(instruction);
        required.extend(self.same_operands(instruction));
        self.of_operation(decoded, instruction, &mut required);
        let name = name(instruction);
        required.into_iter().map(|requires| Precondition { name: name.clone(), requires }).collect()
    }

    /// What only the decoded operation tells.
    fn of_operation(&self, decoded: &Decoded, instruction: Instruction<'_>, required: &mut Vec<Requirement>) {
        let (tables, s) = (&self.out.tables, &decoded.s);
        let at_most =
            |what, operand, limit| Requirement::AtMost { what, operand: RegisterSlot::Word(operand), limit };
        match decoded.op {
            Op::Barrier(id) if !tables[id].kind.is_of_cluster() => {
                let Barrier { id, count, kind, .. } = tables[id];
                required.push(same("barrier", id));
                if let Some(count) = count {
                    required.push(same("number of threads", count));
                    required.push(Requirement::MultipleOf {
                        what: "number of threads",
                        operand: RegisterSlot::Word(count),
                        unit: WIDTH as u32,
                        positive: kind == BarrierKind::Arrive,
                    });
                }
            }
            Op::FindNth => required.push(at_most("base", s.b, 31)),
            Op::Copy(id) => {
                let Copy { size, source_size, .. } = tables[id];
                required.extend(source_size.map(|slot| at_most("source size", slot, size)));
            }
            Op::FragmentAccess(id) => {
                let FragmentAccess { matrix, address, stride, .. } = tables[id];
                let start = matrix.registers * matrix.bits.max(32) / 8;
                // CUDA allows a leading dimension that is a multiple of 16 bytes (wmma in the C++ Programming Guide).
                let line = start.min(16);
                required.push(Requirement::Aligned {
                    address,
                    start,
                    line,
                    stride,
                    element_bits: matrix.bits,
                });
            }
            Op::StoreAsync(id) => {
                let (Access { address, space, .. }, mbarrier) = &tables[id];
                required.push(one_block((*address, *space), *mbarrier, true));
            }
            Op::AtomicAsync(id) => {
                let (Atomic { address, space, .. }, mbarrier) = &tables[id];
                required.push(one_block((*address, *space), *mbarrier, true));
            }
            Op::BulkCopy(id) => {
                let BulkCopy { to, completion, blocks: None, .. } = &tables[id] else { return };
                let elsewhere = instruction.has("shared::cta") && instruction.has("shared::cluster");
                required.extend(completion.map(|mbarrier| one_block(*to, mbarrier, elsewhere)));
            }
            Op::Tensor(id) => {
                let TensorOp::Copy(TensorCopy { shared, completion, blocks: None, pairs: false, .. }) =
                    &tables[id]
                else {
                    return;
                };
                required.extend(completion.map(|mbarrier| one_block(*shared, mbarrier, false)));
            }
            _ => {}
        }
    }

    fn windows(&mut self, instruction: Instruction<'l>) -> Vec<Requirement> {
        let is_bracketed =
            |operand: &Operand| matches!(operand, Operand::Address { form: AddressForm::Bracketed, .. });
        let addresses = instruction.operands().iter().copied().filter(is_bracketed).enumerate();
        let window = |(index, operand)| Some((operand, window(instruction, index)?));
        let windows: Vec<_> = addresses.filter_map(window).collect();
        let requirement = |(operand, (space, window))| {
            let (address, space) = self.address(operand, space).ok()?;
            Some(Requirement::In(address, space, window))
        };
        windows.into_iter().filter_map(requirement).collect()
    }

    fn same_operands(&mut self, instruction: Instruction<'l>) -> Vec<Requirement> {
        let rules = SAME.iter().filter(|(opcode, operation, ..)| is(instruction, opcode, operation));
        let requirement = |&(_, _, index, what): &(&str, &str, usize, &'static str)| {
            let operand = match *instruction.operands().get(index)? {
                operand @ Operand::Register { .. } => LaneOperand::Register(self.place(operand).ok()?.0),
                operand @ Operand::Address { .. } => {
                    LaneOperand::Address(self.address(operand, None).ok()?.0)
                }
                _ => return None,
            };
            Some(Requirement::Same { what, operand })
        };
        rules.filter_map(requirement).collect()
    }
}

fn same(what: &'static str, operand: Slot) -> Requirement {
    Requirement::Same { what, operand: LaneOperand::Register(RegisterSlot::Word(operand)) }
}

fn one_block(data: (Address, Space), mbarrier: (Address, Space), elsewhere: bool) -> Requirement {
    Requirement::OneBlock { data, mbarrier, elsewhere }
}

fn is(instruction: Instruction<'_>, opcode: &str, operation: &str) -> bool {
    instruction.opcode() == opcode && (operation.is_empty() || instruction.has(operation))
}

/// The opcode with its operation, such as `mbarrier.init`.
fn name(instruction: Instruction<'_>) -> SmolStr {
    const FAMILIES: &[&str] = &["mbarrier", "wmma", "tcgen05", "wgmma", "cp", "st", "bar", "barrier"];
    let opcode = instruction.opcode();
    match instruction.modifiers().first().filter(|_| FAMILIES.contains(&opcode)) {
        Some(first) if !is_space(first) => format_smolstr!("{opcode}.{first}"),
        _ => opcode.into(),
    }
}

fn is_space(word: &str) -> bool {
    warplens_isa::ptx::state_space(&format!(".{word}")).is_some()
}

/// The state space and the windows of the address with this number; `None` if any address of its space is right.
fn window(instruction: Instruction<'_>, index: usize) -> Option<(Option<Space>, Window)> {
    let spaces: Vec<&str> =
        instruction.modifiers().iter().map(|word| word.as_str()).filter(|word| is_space(word)).collect();
    let is_tensor = instruction.opcode() == "cp" && instruction.has("tensor");
    let space = match spaces[..] {
        // The map of a tensor copy has no space; it comes before or after the matrix in shared memory.
        [to, from] if is_tensor && index < 2 => match (to == "global", index) {
            (true, 0) | (false, 1) => return Some((None, Window::TensorMap)),
            (true, _) => from,
            (false, _) => to,
        },
        // The mbarrier of a copy is where its destination is.
        [_, from] if index == 1 => from,
        [to, _] => to,
        [space] => space,
        _ => {
            let rules = GENERIC.iter().find(|(opcode, operation, _)| is(instruction, opcode, operation));
            return rules.filter(|_| index == 0).map(|&(.., window)| (None, window));
        }
    };
    matches!(space, "shared" | "shared::cta").then_some((Some(Space::Shared), Window::OwnShared))
}
