//! Memory that a thread allocates on its stack at run time.

use warplens_hir::ptx::{Instruction, Operand};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::program::{Op, Slots, StackAction, Width};

/// The default alignment of `alloca`, in bytes.
const ALIGNMENT: u64 = 8;

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn stack(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let ty = m.ty()?;
        let width = Width::of_bits(ty.bits());
        match (instruction.opcode(), instruction.operands()) {
            ("stacksave", operands) => {
                Ok((Op::Stack(StackAction::Save(width)), self.typed_slots(operands, &[ty])?))
            }
            ("stackrestore", &[a]) => {
                let a = self.source(a, ty)?;
                Ok((Op::Stack(StackAction::Restore(width)), Slots { a, ..Slots::default() }))
            }
            ("alloca", &[d, size, ref align @ ..]) => {
                let align = match align {
                    [align @ Operand::Constant(_)] => self.number(*align)?,
                    _ => ALIGNMENT,
                };
                let (d, a) = (self.destination(d, ty)?, self.source(size, ty)?);
                let b = u32::try_from(align).ok().filter(|align| align.is_power_of_two());
                let s = Slots { d, a, b: b.ok_or_else(Why::operands)?, ..Slots::default() };
                Ok((Op::Stack(StackAction::Allocate(width)), s))
            }
            _ => Err(Why::operands()),
        }
    }
}
