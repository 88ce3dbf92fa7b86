//! Skips accesses out of range while a run goes on after the first one, to find the other statements that have them.
//!
//! What a skipped access would have loaded is unknown, and so is whatever depends on it. The search is over where an
//! unknown value decides which lanes run or what they access.

use warplens_sim_warp::trace::Mask;

use super::lanes::{filter_lanes, lanes};
use super::machine::{ExecContext, Wave};
use super::memory::OutOfRange;
use super::op::{Access, Action, Op, Space};
use super::program::{Cell, Named};

impl<const W: usize> Wave<W> {
    /// Whether the run can go on at the access that stopped it. Lanes below the first invalid one have executed it, so it
    /// must have the same effect again.
    pub(crate) fn can_skip(&self, op: &Op) -> bool {
        let repeats = match op.action {
            Action::Load { d, address, .. } => !d.contains(&address),
            Action::Store { .. } => true,
            _ => false,
        };
        repeats && op.halves == 0
    }

    /// Ends the search if a control operation needs an unknown value; returns whether it is over.
    #[cold]
    pub(crate) fn ends_search(&self, op: &Op, ctx: &mut ExecContext<'_>) -> bool {
        let Some(further) = &mut ctx.further else { return false };
        further.is_over |= self.sources(op, &ctx.program.named[self.pc as usize], [self.active; 2]).is_none();
        further.is_over
    }

    /// Follows unknown values through an operation, and reports its access if that is out of range. Returns the lanes that
    /// execute it.
    #[cold]
    pub(crate) fn skip_invalid(&mut self, op: &Op, executed: Mask, ctx: &mut ExecContext<'_>) -> Mask {
        let named = &ctx.program.named[self.pc as usize];
        let given = self.sources(op, named, [self.active, executed]);
        let Some(given) = given.filter(|_| !ctx.further.as_ref().is_some_and(|further| further.is_over))
        else {
            ctx.further.iter_mut().for_each(|further| further.is_over = true);
            return 0;
        };
        let (mut valid, mut results) = (executed, given);
        if let Some(access) = op.action.access() {
            let outside = self.outside(access, executed, ctx);
            valid &= !outside.as_ref().map_or(0, |outside| outside.lanes);
            if let Some(outside) = outside {
                self.report(&outside, ctx);
            }
            if !matches!(op.action, Action::Load { .. }) {
                self.mark_stored(access, given | executed & !valid, ctx);
            }
            results = executed & !valid | self.unknown_lanes(access, valid, ctx);
            if matches!(op.action, Action::Load { .. }) {
                results |= given;
            }
        } else if is_of_wave(&op.action) && given != 0 {
            results = executed;
        } else if matches!(op.action, Action::Matrix(_))
            && let Some(further) = &mut ctx.further
            && (given != 0 || !further.memory.is_empty())
        {
            further.is_over = true;
            return 0;
        }
        if results != 0 || self.unknown.is_some() {
            let unknown = self.unknown.get_or_insert_default();
            named
                .iter()
                .filter(|named| named.written)
                .for_each(|named| unknown.write(named, executed, results));
        }
        valid
    }

    /// The lanes with an unknown operand; `None` if one is a guard, a condition of control flow or an address.
    fn sources(&self, op: &Op, named: &[Named], [active, executed]: [Mask; 2]) -> Option<Mask> {
        let Some(unknown) = &self.unknown else { return Some(0) };
        let address = op.action.access().map(|access| access.address);
        let mut given = 0;
        for named in named.iter().filter(|named| named.read) {
            let is_guard = matches!(named.cell, Cell::Predicate(index)
                if op.guard.is_some_and(|guard| guard.predicate == index));
            let lanes = unknown.lanes(named) & if is_guard { active } else { executed };
            // Halves have rows of their own, so their registers are not told apart.
            let is_address = matches!(named.cell, Cell::General(index)
                if address.is_some() && (address == Some(index.into()) || op.halves != 0));
            if lanes != 0 && (is_guard || is_address || op.action.is_control()) {
                return None;
            }
            given |= lanes;
        }
        Some(given)
    }

    fn outside(&self, access: Access, mask: Mask, ctx: &mut ExecContext<'_>) -> Option<Box<OutOfRange>> {
        let addresses = self.addresses(access);
        let outside =
            ctx.memory.out_of_range(access.space, mask, |lane| addresses[lane], access.bytes as usize);
        (outside.lanes != 0).then_some(outside)
    }

    fn addresses(&self, access: Access) -> [u32; W] {
        *self.state.rows.get(access.address)
    }

    fn report(&self, outside: &OutOfRange, ctx: &mut ExecContext<'_>) {
        let finding = *self.out_of_range(ctx, outside).finding;
        if let Some(further) = &mut ctx.further
            && further.reported.insert(self.pc)
        {
            further.findings.push(finding);
        }
    }

    fn mark_stored(&self, access: Access, mask: Mask, ctx: &mut ExecContext<'_>) {
        let words: Vec<_> = lanes(mask).flat_map(|lane| self.words(access, lane, ctx.workgroup)).collect();
        ctx.further.iter_mut().for_each(|further| further.memory.extend(&words));
    }

    /// The lanes that read unknown words.
    fn unknown_lanes(&self, access: Access, mask: Mask, ctx: &ExecContext<'_>) -> Mask {
        let Some(further) = ctx.further.as_ref().filter(|further| !further.memory.is_empty()) else {
            return 0;
        };
        let is_unknown =
            |lane| self.words(access, lane, ctx.workgroup).any(|word| further.memory.contains(&word));
        filter_lanes(mask, is_unknown)
    }

    fn words(
        &self,
        Access { space, bytes, address, .. }: Access,
        lane: usize,
        workgroup: [u32; 3],
    ) -> impl Iterator<Item = (Space, [u32; 3], u32)> {
        let first = self.state.rows.get(address)[lane];
        let owner = if space == Space::Local { workgroup } else { [0; 3] };
        (first / 4..=first.saturating_add(bytes - 1) / 4).map(move |word| (space, owner, word))
    }
}

/// Whether a lane's result may depend on the operands of other lanes.
fn is_of_wave(action: &Action) -> bool {
    matches!(
        action,
        Action::Shuffle { .. }
            | Action::Broadcast { .. }
            | Action::Ballot { .. }
            | Action::Vote { .. }
            | Action::PrefixSum { .. }
            | Action::Reduce { .. }
    )
}
