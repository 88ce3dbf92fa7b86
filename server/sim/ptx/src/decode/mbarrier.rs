//! Memory barriers (`mbarrier.*`) and the completion of copies.

use warplens_hir::ptx::{Instruction, Operand, Type};

use super::Why;
use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use crate::program::{Mbarrier, MbarrierAction, Op, Space};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn mbarrier(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let layout =
            m.word(&["layout::v0", "layout::v1"]).map_or(0, |layout| u8::from(layout == "layout::v1"));
        let space = m.space();
        m.ignore_caching();
        let multicast = m.take("multicast::cluster::32b");
        let _ = m.take("b64");
        if m.take("phase_type::conditional") {
            return Err(Why::new("what ends a conditional phase depends on copies between devices"));
        }
        let _ = m.take("phase_type::primary");
        let what = [
            "init",
            "inval",
            "expect_tx",
            "complete_tx",
            "arrive",
            "arrive_drop",
            "test_wait",
            "try_wait",
            "pending_count",
            "check_layout",
        ];
        // An arrival may have `.expect_tx` after its own name.
        let what = instruction.modifiers().iter().find_map(|name| what.iter().find(|word| *word == name));
        let what = what.copied().ok_or_else(Why::form)?;
        let _ = m.take(what);
        let operands = instruction.operands();
        match what {
            "init" | "inval" | "expect_tx" | "complete_tx" => {
                let action = match what {
                    "init" => MbarrierAction::Initialize { layout },
                    "inval" => MbarrierAction::Invalidate,
                    "expect_tx" => MbarrierAction::ExpectBytes,
                    _ => MbarrierAction::CompleteBytes,
                };
                let (&address, rest) = operands.split_first().ok_or_else(Why::operands)?;
                self.mbarrier_action(action, None, address, space, rest, multicast)
            }
            "arrive" | "arrive_drop" => {
                let action = MbarrierAction::Arrive {
                    expects: m.take("expect_tx"),
                    drops: what == "arrive_drop",
                    completes: !m.take("noComplete"),
                };
                let (&[state, address], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
                self.mbarrier_action(action, Some(state), address, space, rest, multicast)
            }
            "pending_count" => Ok((Op::PendingCount, self.typed_slots(operands, &[Type::U32, Type::U64])?)),
            "check_layout" => {
                let &[p, address] = operands else { return Err(Why::operands()) };
                let action = MbarrierAction::CheckLayout(layout);
                self.mbarrier_action(action, Some(p), address, space, &[], false)
            }
            _ => self.mbarrier_wait(operands, space, m.take("parity")),
        }
    }

    /// `mbarrier.test_wait` and `mbarrier.try_wait`. How long `try_wait` may sleep is up to the implementation.
    fn mbarrier_wait(&mut self, operands: &[Operand], space: Option<Space>, parity: bool) -> Decoded {
        let (&done, rest) = operands.split_first().ok_or_else(Why::operands)?;
        let is_address = |operand: &Operand| matches!(operand, Operand::Address { .. });
        let at = rest.iter().position(is_address).ok_or_else(Why::operands)?;
        let (reports, rest) = rest.split_at(at);
        let &[address, state, ..] = rest else { return Err(Why::operands()) };
        let (done, report) = self.pair(done)?;
        let reports = [report, reports.first().copied()];
        let reports = reports.map(|report| report.filter(|report| *report != Operand::Sink));
        let mut places = [None; 2];
        for (place, report) in places.iter_mut().zip(reports) {
            *place = report.map(|report| self.place(report)).transpose()?.map(|(place, _)| place);
        }
        let (action, ty) = match parity {
            true => (MbarrierAction::TestParity, Type::U32),
            false => (MbarrierAction::TestToken, Type::U64),
        };
        let (address, space) = self.address(address, space)?;
        let operand = Some(self.source_place(state, ty)?.0);
        let d = Some(self.place(done)?.0);
        let mbarrier = Mbarrier { action, space, address, operand, blocks: None, d, reports: places };
        self.with_entry(Op::Mbarrier, mbarrier)
    }

    fn mbarrier_action(
        &mut self,
        action: MbarrierAction,
        d: Option<Operand>,
        address: Operand,
        space: Option<Space>,
        rest: &[Operand],
        multicast: bool,
    ) -> Decoded {
        let (address, space) = self.address(address, space)?;
        let (blocks, rest) = match rest {
            [rest @ .., mask] if multicast => (Some(self.source(*mask, Type::U32)?), rest),
            rest => (None, rest),
        };
        let operand = match rest {
            [] => None,
            [operand] => Some(self.source_place(*operand, Type::U32)?.0),
            _ => return Err(Why::operands()),
        };
        let d = d.filter(|d| *d != Operand::Sink).map(|d| self.place(d)).transpose()?.map(|(place, _)| place);
        let mbarrier = Mbarrier { action, space, address, operand, blocks, d, reports: [None; 2] };
        self.with_entry(Op::Mbarrier, mbarrier)
    }

    /// `cp.async.mbarrier.arrive`
    pub(super) fn arrive_copies(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Decoded {
        let _ = (m.take("mbarrier"), m.take("arrive"), m.take("b64"));
        let action = MbarrierAction::ArriveCopies { counted: m.take("noinc") };
        let space = m.space();
        let &[address] = operands else { return Err(Why::operands()) };
        self.mbarrier_action(action, None, address, space, &[], false)
    }
}
