//! `multimem`: accesses to all buffers behind a multimem address.

use warplens_hir::ptx::Instruction;
use warplens_sim_cuda::semantics::replicas::{ReplicaElement, ReplicaReduction};
use warplens_sim_warp::soft_float::{F16, F32};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::program::{Multimem, Op};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn multimem(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        let what = m.word(&["ld_reduce", "st", "red", "cp"]).ok_or_else(Why::form)?;
        let reduces = m.take("reduce");
        // Without an mbarrier or a group, no thread can observe that `.async` is late.
        let _ = m.take("async");
        match what {
            "cp" => {
                let _ = m.take("bulk");
                self.bulk_copy(reduces, true, operands, m)
            }
            "st" => {
                let access = self.store(operands, m)?;
                self.with_entry(|id| Op::Multimem(Multimem::Store(id)), access)
            }
            "red" => {
                let atomic = self.atomic(true, operands, m)?;
                self.with_entry(|id| Op::Multimem(Multimem::Reduce(id)), atomic)
            }
            _ => {
                let accumulator = m.choose(&[("acc::f16", F16), ("acc::f32", F32)]);
                let op = m.atomic_op().ok_or_else(Why::form)?;
                let element =
                    instruction.modifiers().iter().rev().find_map(|word| ReplicaElement::of_name(word));
                let element = element.ok_or_else(Why::form)?;
                let access = self.load(operands, m)?;
                let load = (access, ReplicaReduction { op, element, accumulator });
                self.with_entry(|id| Op::Multimem(Multimem::LoadReduce(id)), load)
            }
        }
    }
}
