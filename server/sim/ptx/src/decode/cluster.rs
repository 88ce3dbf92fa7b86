//! Clusters: addresses in their blocks, and cancellation of blocks that have not been launched yet.

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::program::{Fill, Op, RegisterSlot, Slots, Width};

impl FunctionDecoder<'_, '_> {
    /// `mapa`
    pub(super) fn mapa(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let c = u32::from(m.space().is_some());
        let ty = m.ty()?;
        let s = self.typed_slots(operands, &[ty, ty, Type::U32])?;
        Ok((Op::MapRank(Width::of_bits(ty.bits())), Slots { c, ..s }))
    }

    /// `getctarank`
    pub(super) fn getctarank(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let c = u32::from(m.space().is_some());
        let ty = m.ty()?;
        let s = self.typed_slots(operands, &[Type::U32, ty])?;
        Ok((Op::RankOf(Width::of_bits(ty.bits())), Slots { c, ..s }))
    }

    /// `clusterlaunchcontrol`: all blocks are already launched, so no request to cancel one ever succeeds.
    pub(super) fn launch_control(&mut self, instruction: Instruction<'_>, m: &mut Modifiers<'_>) -> Decoded {
        let space = m.space();
        m.ignore_caching();
        let operands = instruction.operands();
        if m.take("try_cancel") {
            let _ = (m.take("async"), m.take("mbarrier::complete_tx::bytes"), m.take("b128"));
            let _ = m.take("multicast::cluster::all");
            let &[to, mbarrier] = operands else { return Err(Why::operands()) };
            let completion = Some(self.address(mbarrier, space)?);
            let to = self.address(to, space)?;
            let size = RegisterSlot::Word(self.constant_word(16));
            return self.with_entry(Op::Fill, Fill { to, size, completion });
        }
        let _ = (m.take("query_cancel"), m.take("b128"));
        m.retain(|name| !name.starts_with("get_first_ctaid") && name != "is_canceled");
        let vector = m.take("v4");
        let ty = m.ty()?;
        let &[d, _] = operands else { return Err(Why::operands()) };
        let targets = match d {
            Operand::Vector(list) => self.places(self.hir.operands(list))?,
            _ if vector => self.elements(d)?.into_iter().map(|(place, _)| Some(place)).collect(),
            _ => vec![Some(self.place(d)?.0)],
        };
        let zero = self.constant(0, ty);
        let moves = targets.into_iter().flatten().map(|target| (target, zero)).collect::<Vec<_>>();
        self.with_entry(Op::MoveEach, moves)
    }
}
