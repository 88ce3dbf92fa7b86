//! Names the uninitialized memory that is read.

use warplens_sim_warp::finding_kind::FindingKind;

use super::Sanitizer;
use super::event::AccessEvent;
use crate::address::Space;
use crate::memory::local::Local;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::order::SpecialOrder;

impl Sanitizer {
    /// Lanes load uninitialized memory. Its name is recorded in case the value turns out to matter.
    #[cold]
    pub(super) fn note_uninitialized(&mut self, event: &AccessEvent<'_>, spaces: &Spaces, local: &Local) {
        self.made_undefined = true;
        let statement = self.visit.statement;
        if !self.uninitialized_memory.contains_key(&statement)
            && let Some((_, title)) = self.uninitialized_title(event, spaces, local)
        {
            self.uninitialized_memory.insert(statement, title);
        }
    }

    /// An instruction reads uninitialized memory, and its result is not tracked.
    pub(super) fn report_uninitialized(&mut self, event: &AccessEvent<'_>, spaces: &Spaces, local: &Local) {
        let statement = self.visit.statement;
        if !self.reported.insert((FindingKind::UninitializedRead, statement, u32::MAX)) {
            return;
        }
        if let Some((mask, title)) = self.uninitialized_title(event, spaces, local) {
            if self.visit.order.special == SpecialOrder::AsyncMatrices {
                let message = format!(
                    "{title}\nthe matrix descriptor leads there; check its offsets, or write the whole matrix first"
                );
                return self.report(FindingKind::MatrixDescriptor, message, statement, mask, None);
            }
            let message = format!("{title}\ninitialize it first");
            self.report(FindingKind::UninitializedRead, message, statement, mask, None);
        }
    }

    /// Names the lanes that read uninitialized memory, and the memory.
    fn uninitialized_title(
        &self,
        event: &AccessEvent<'_>,
        spaces: &Spaces,
        local: &Local,
    ) -> Option<(u32, String)> {
        let elements = &self.uninitialized[..event.count];
        let mask = elements.iter().fold(0, |all, &mask| all | mask);
        let lane = mask.trailing_zeros();
        let element = elements.iter().position(|mask| mask >> lane & 1 == 1)?;
        let extent = event.extent(lane as usize)?;
        let size = u64::from(event.size);
        let index = extent.index(event.addresses[lane as usize]) as u64 + element as u64 * size;
        let title = match extent.region {
            MemoryRegion::Local => {
                let object = spaces.element(Space::Local, index, size, local);
                format!("{object} (local), before the thread writes it")
            }
            region => {
                let object = spaces.common_element(region, index, size);
                format!("{object} (shared), before any thread writes it")
            }
        };
        Some((mask, title))
    }
}
