//! The paths of a hammock, which the lanes of a group execute one after the other while the group stays whole.

use warplens_sim_cuda::visits::Visits;

use crate::engine::divergence::group::Group;
use crate::engine::divergence::groups::Groups;
use crate::engine::launch::Launch;
use crate::program::{Hammock, Path};

#[derive(Clone, Copy)]
pub(super) struct Paths<'f> {
    pub(super) hammock: &'f Hammock,
    /// First instruction and lanes of each path: the taken path, then the other.
    parts: [(u32, u32); 2],
    /// Whether the path of the lanes that do not branch runs first.
    is_reversed: bool,
    is_second: bool,
}

pub(super) struct PathRange {
    pub(super) first: u32,
    /// One past the last operation; meaningless if `is_join`.
    pub(super) end: u32,
    pub(super) mask: u32,
    pub(super) is_join: bool,
}

impl<'f> Paths<'f> {
    /// `None` if the model does not run the two paths of this branch back to back.
    #[inline(always)]
    pub(super) fn of(
        hammock: &'f Hammock,
        parts: [(u32, u32); 2],
        join: u32,
        groups: &Groups,
    ) -> Option<Paths<'f>> {
        if hammock.join != join {
            return None;
        }
        let is_reversed = groups.reverses_paths(parts.map(|(first, _)| first), join)?;
        Some(Paths { hammock, parts, is_reversed, is_second: false })
    }

    #[inline(always)]
    fn index(&self) -> usize {
        usize::from(self.is_reversed != self.is_second)
    }

    #[inline(always)]
    fn path(&self) -> &'f Path {
        &self.hammock.paths[self.index()]
    }

    #[inline(always)]
    pub(super) fn running(&self) -> PathRange {
        let (first, mask) = self.parts[self.index()];
        PathRange { first, end: self.path().end, mask, is_join: false }
    }

    #[inline(always)]
    pub(super) fn next(&mut self, visits: &mut Visits<'_>, clock: &mut u64) -> PathRange {
        let path = self.path();
        visits.up_to(path.after);
        *clock += u64::from(path.after - path.end);
        if !self.is_second {
            self.is_second = true;
            return self.running();
        }
        let [(_, taken), (_, not_taken)] = self.parts;
        let first = self.hammock.join;
        PathRange { first, end: first, mask: taken | not_taken, is_join: true }
    }

    #[inline(always)]
    pub(super) fn rejoin(&self, groups: &mut Groups) {
        let [taken, not_taken] = self.parts;
        let parts = if self.is_reversed { [not_taken, taken] } else { [taken, not_taken] };
        groups.rejoined(parts, self.hammock.join);
    }

    /// Splits off the lanes of the running path as a group, for an instruction that only the general path can execute.
    #[cold]
    #[inline(never)]
    pub(super) fn split_off_path(
        &self,
        whole: Group,
        groups: &mut Groups,
        live: u32,
        launch: &Launch<'_>,
    ) -> Group {
        groups.diverge(&self.parts, self.hammock.join);
        let mut group = groups.next(live, &launch.plan).unwrap_or(whole);
        if group.mask != self.running().mask {
            groups.advance_to(self.hammock.join);
            group = groups.next(live, &launch.plan).unwrap_or(whole);
        }
        group
    }
}
