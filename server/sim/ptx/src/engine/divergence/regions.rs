//! Convergence barriers: diverged lanes, and where they wait to reconverge.
//!
//! A divergent branch or a call creates a region, which ends at the reconvergence point. Regions nest: a region's lanes are
//! also in the enclosing regions.

use super::group::LanePosition;
use super::patience::Patience;
use crate::program::Slot;

pub(super) type Id = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Region {
    frame: Slot,
    pc: u32,
    around: Option<Id>,
    depth: u32,
    lanes: u32,
    /// Lanes that wait at the reconvergence point.
    arrived: u32,
    /// The iterations that the waiting lanes' groups have counted.
    patience: Option<Patience>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Regions {
    regions: Vec<Option<Region>>,
}

impl Regions {
    fn get(&self, id: Option<Id>) -> Option<&Region> {
        self.regions.get(id? as usize)?.as_ref()
    }

    fn get_mut(&mut self, id: Id) -> Option<&mut Region> {
        self.regions.get_mut(id as usize)?.as_mut()
    }

    fn each(&self) -> impl Iterator<Item = (Id, &Region)> {
        self.regions.iter().enumerate().filter_map(|(id, region)| Some((id as Id, region.as_ref()?)))
    }

    /// The region of lanes that diverge within `around`. This is `around` itself if it ends at the same instruction.
    pub(super) fn enter(&mut self, frame: Slot, pc: u32, around: Option<Id>, lanes: u32) -> Option<Id> {
        if self.ends_at(around, frame, pc) {
            return around;
        }
        let depth = self.get(around).map_or(0, |region| region.depth) + 1;
        let new = Some(Region { frame, pc, around, depth, lanes, arrived: 0, patience: None });
        let free = self.regions.iter().position(Option::is_none);
        let id = free.unwrap_or(self.regions.len());
        match self.regions.get_mut(id) {
            Some(slot) => *slot = new,
            None => self.regions.push(new),
        }
        Some(id as Id)
    }

    pub(super) fn ends_at(&self, id: Option<Id>, frame: Slot, pc: u32) -> bool {
        self.get(id).is_some_and(|region| (region.frame, region.pc) == (frame, pc))
    }

    /// A region's reconvergence point, if it is in this call.
    pub(super) fn end(&self, id: Option<Id>, frame: Slot) -> Option<u32> {
        self.get(id).filter(|region| region.frame == frame).map(|region| region.pc)
    }

    pub(super) fn arrive(&mut self, id: Option<Id>, mask: u32, patience: &Patience) {
        if let Some(region) = id.and_then(|id| self.get_mut(id)) {
            region.arrived |= mask;
            match &mut region.patience {
                Some(counted) => counted.merge(patience),
                None => region.patience = Some(patience.clone()),
            }
        }
    }

    /// Whether lanes wait for the end of a region or of an enclosing one.
    pub(super) fn is_awaited(&self, mut id: Option<Id>) -> bool {
        while let Some(region) = self.get(id) {
            if region.arrived != 0 {
                return true;
            }
            id = region.around;
        }
        false
    }

    /// Whether lanes are in the same regions as in `earlier`.
    pub(super) fn are_where(&self, earlier: &Regions) -> bool {
        let place = |region: &Option<Region>| {
            let region = region.as_ref()?;
            Some((region.frame, region.pc, region.around, region.lanes, region.arrived))
        };
        let last =
            |regions: &Regions| regions.regions.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let (now, before) = (last(self), last(earlier));
        self.regions[..now].iter().map(place).eq(earlier.regions[..before].iter().map(place))
    }

    /// Lanes return from a call and leave its regions. Returns the region that encloses the call.
    pub(super) fn leave(&mut self, mut id: Option<Id>, frame: Slot, mask: u32) -> Option<Id> {
        while let Some(region) = id.and_then(|id| self.get_mut(id)).filter(|region| region.frame == frame) {
            region.lanes &= !mask;
            id = region.around;
        }
        id
    }

    /// The innermost region that contains two groups. The groups leave the regions nested in it.
    pub(super) fn common(&mut self, a: (Option<Id>, u32), b: (Option<Id>, u32)) -> Option<Id> {
        let (mut a, mut b) = (a, b);
        while a.0 != b.0 {
            let depth = |id: Option<Id>| self.get(id).map_or(0, |region| region.depth);
            let inner = if depth(a.0) >= depth(b.0) { &mut a } else { &mut b };
            let region = inner.0.and_then(|id| self.regions.get_mut(id as usize)?.as_mut())?;
            region.lanes &= !inner.1;
            inner.0 = region.around;
        }
        a.0
    }

    pub(super) fn prune(&mut self, live: u32) {
        for slot in &mut self.regions {
            if let Some(region) = slot {
                region.lanes &= live;
                region.arrived &= live;
            }
            if slot.as_ref().is_some_and(|region| region.lanes == 0) {
                *slot = None;
            }
        }
    }

    pub(super) fn complete(&self) -> Option<Id> {
        self.each().find(|(_, region)| region.arrived == region.lanes).map(|(id, _)| id)
    }

    pub(super) fn innermost_waiting(&self) -> Option<Id> {
        let waiting = self.each().filter(|(_, region)| region.arrived != 0);
        waiting.max_by_key(|(id, region)| (region.depth, std::cmp::Reverse(*id))).map(|(id, _)| id)
    }

    /// Ends a region: returns its waiting lanes, the iterations that their groups have counted, and the enclosing region.
    pub(super) fn open(&mut self, id: Id) -> Option<(LanePosition, Patience, Option<Id>)> {
        let Region { frame, pc, around, arrived, patience, .. } =
            self.regions.get_mut(id as usize)?.take()?;
        for region in self.regions.iter_mut().flatten().filter(|region| region.around == Some(id)) {
            region.around = around;
        }
        Some((LanePosition { frame, pc, mask: arrived }, patience.unwrap_or_default(), around))
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = LanePosition> {
        let waiting = self.each().filter(|(_, region)| region.arrived != 0);
        waiting.map(|(_, region)| LanePosition { frame: region.frame, pc: region.pc, mask: region.arrived })
    }
}
