//! Uses of mbarriers that respect what is valid: an object is opaque from `mbarrier.init` to `mbarrier.inval`.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Related, Severity};

use super::Sanitizer;
use super::copies::CopyCompletion;
use super::event::{AccessEvent, AccessKind};
use super::mbarrier_phases::PhaseEvent;
use super::valid_mbarriers::{SIZE, ValidMbarrier};
use crate::memory::region::{CheckedAddresses, MemoryRegion};
use crate::memory::spaces::Spaces;
use crate::order::SpecialOrder;
use crate::registers::lanes;

impl Sanitizer {
    /// A lane of the running warp acts at an mbarrier.
    pub(super) fn note_validity(&mut self, lane: usize, object: u64, event: PhaseEvent, spaces: &Spaces) {
        let statement = self.report.visit.statement;
        let valid = &mut self.cluster.valid;
        match event {
            PhaseEvent::Initialize => {
                let extent = &mut valid.extent;
                *extent = match extent.is_empty() {
                    true => object..object + SIZE,
                    false => extent.start.min(object)..extent.end.max(object + SIZE),
                };
                let now = ValidMbarrier { initialized: statement, is_used: false };
                if let Some(before) = valid.objects.insert(object, now).filter(|before| before.is_used) {
                    self.report_initialized_again(lane, object, before.initialized, spaces);
                }
            }
            PhaseEvent::Invalidate => {
                valid.objects.remove(&object);
                self.check_copies_of_invalid(lane, object, spaces);
            }
            _ => {
                if let Some(valid) = valid.objects.get_mut(&object) {
                    valid.is_used = true;
                }
            }
        }
    }

    fn report_initialized_again(&mut self, lane: usize, object: u64, initialized: u32, spaces: &Spaces) {
        if !self.report.note_new(FindingKind::Mbarrier, Some(initialized)) {
            return;
        }
        let object = spaces.common_element(MemoryRegion::Shared, object, SIZE);
        let message = format!(
            "{object} is initialized again without `mbarrier.inval`\nit is a valid object, so the behavior is undefined: execute \
             `mbarrier.inval` before, after all arrivals and waits, or initialize it once"
        );
        let related = Related::new(initialized, "it is initialized here");
        let statement = self.report.visit.statement;
        let finding = self.report.warp().finding(FindingKind::Mbarrier, message, statement, 1u32 << lane);
        self.report.findings.push(finding.with_severity(Severity::Warning).with([related]));
    }

    /// The object becomes invalid: copies that complete there, and for which no thread has waited, may do so later.
    fn check_copies_of_invalid(&mut self, lane: usize, at: u64, spaces: &Spaces) {
        let completes_here =
            |until: CopyCompletion| matches!(until, CopyCompletion::Phase { object, .. } if object == at);
        let begun = self.cluster.copies.begun.iter().find(|begun| completes_here(begun.until));
        let Some(started) = begun.map(|begun| begun.statement) else { return };
        if !self.report.note_new(FindingKind::MbarrierPhase, Some(started)) {
            return;
        }
        let object = spaces.common_element(MemoryRegion::Shared, at, SIZE);
        let message = format!(
            "{object} is invalidated while a copy is in flight that it tracks\nthe copy completes its bytes there later: wait for its \
             phase before `mbarrier.inval`"
        );
        let related = Related::new(started, "the copy is started here");
        self.report.add(FindingKind::MbarrierPhase, message, 1 << lane, [related]);
    }

    /// Reports an ordinary store to a valid object.
    #[inline]
    pub(super) fn check_opaque(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        let is_elsewhere =
            matches!(event.checked, CheckedAddresses::One(extent) if extent.region != MemoryRegion::Shared);
        if event.kind == AccessKind::Store && !is_elsewhere && !self.cluster.valid.extent.is_empty() {
            self.check_opaque_lanes(event, spaces);
        }
    }

    fn check_opaque_lanes(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        if matches!(self.report.visit.order.special, SpecialOrder::Initializes | SpecialOrder::Invalidates) {
            return;
        }
        let valid = &self.cluster.valid;
        let overwritten = lanes(event.mask).find_map(|lane| {
            let extent = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Shared)?;
            let start = extent.index(event.addresses[lane]) as u64;
            let end = start + event.span();
            if start >= valid.extent.end || end <= valid.extent.start {
                return None;
            }
            let mut objects = valid.objects.iter();
            let (at, object) = objects.find(|(at, _)| start < **at + SIZE && **at < end)?;
            Some((lane, *at, object.initialized))
        });
        let Some((lane, at, initialized)) = overwritten else { return };
        if !self.report.note_new(FindingKind::Mbarrier, Some(initialized)) {
            return;
        }
        let object = spaces.common_element(MemoryRegion::Shared, at, SIZE);
        let message = format!(
            "a store overwrites {object}, a valid mbarrier object\nonly `mbarrier` instructions may access it: execute \
             `mbarrier.inval`, after all arrivals and waits, before the memory holds data, or use other memory"
        );
        let related = Related::new(initialized, "it is initialized here");
        self.report.add(FindingKind::Mbarrier, message, 1 << lane, [related]);
    }
}
