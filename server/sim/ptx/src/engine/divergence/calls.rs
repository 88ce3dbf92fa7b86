//! The calls that lanes are in, for models in which the caller's lanes leave the call site.

use std::cmp::Ordering;

use warplens_sim_cuda::grown::grown;

use super::group::FunctionEntry;
use super::order::Order;
use crate::program::Slot;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    function: u32,
    /// The caller's frame and the call instruction; `None` for the entry.
    site: Option<(Slot, u32)>,
    depth: u32,
    lanes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Calls {
    calls: Vec<Option<Call>>,
}

impl Calls {
    pub(super) fn new(mask: u32) -> Calls {
        Calls { calls: vec![Some(Call { function: 0, site: None, depth: 0, lanes: mask })] }
    }

    fn get(&self, frame: Slot) -> Option<&Call> {
        self.calls.get(frame as usize)?.as_ref()
    }

    pub(super) fn function(&self, frame: Slot) -> usize {
        self.get(frame).map_or(0, |call| call.function as usize)
    }

    pub(super) fn depth(&self, frame: Slot) -> u32 {
        self.get(frame).map_or(0, |call| call.depth)
    }

    /// Lanes enter a function from the instruction `pc` of `caller`.
    pub(super) fn enter(&mut self, entered: &FunctionEntry, caller: Slot, pc: u32) {
        let depth = self.get(caller).map_or(0, |call| call.depth) + 1;
        let FunctionEntry { function, mask: lanes, .. } = *entered;
        *grown(&mut self.calls, entered.frame) =
            Some(Call { function, site: Some((caller, pc)), depth, lanes });
    }

    /// Removes lanes that return from a call; returns where they continue.
    pub(super) fn leave(&mut self, frame: Slot, mask: u32) -> Option<(Slot, u32)> {
        let call = self.calls.get_mut(frame as usize)?.as_mut()?;
        call.lanes &= !mask;
        call.site.map(|(caller, pc)| (caller, pc + 1))
    }

    pub(super) fn note_done(&mut self, live: u32, done: &mut Vec<Slot>) {
        for (frame, call) in self.calls.iter_mut().enumerate().skip(1) {
            if call.as_ref().is_some_and(|call| call.lanes & live == 0) {
                *call = None;
                done.push(frame as Slot);
            }
        }
    }

    /// Which of two positions comes first in program order, compared in the innermost function that both were called from.
    pub(super) fn compare(&self, a: (Slot, u32), b: (Slot, u32), orders: &[Order]) -> Ordering {
        if a.0 == b.0 {
            let order = &orders[self.function(a.0)];
            return (order.rank(a.1), a.1).cmp(&(order.rank(b.1), b.1));
        }
        let (Some(call_a), Some(call_b)) = (self.get(a.0), self.get(b.0)) else { return a.cmp(&b) };
        match (call_a.site, call_b.site) {
            // A lane at the call comes before a lane inside the callee.
            (_, Some(site)) if call_a.depth < call_b.depth => {
                self.compare(a, site, orders).then(Ordering::Less)
            }
            (Some(site), _) if call_a.depth > call_b.depth => {
                self.compare(site, b, orders).then(Ordering::Greater)
            }
            (Some(site_a), Some(site_b)) => {
                self.compare(site_a, site_b, orders).then((call_a.function, a.0).cmp(&(call_b.function, b.0)))
            }
            _ => a.cmp(&b),
        }
    }
}
