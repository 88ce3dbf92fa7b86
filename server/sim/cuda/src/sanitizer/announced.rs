//! Copies whose bytes were not announced by `expect_tx` before the phase of their mbarrier completed.

use super::Sanitizer;
use super::copies::CopyCompletion;
use super::stamp::Stamp;
use crate::memory::mbarrier_object::Object;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;

impl Sanitizer {
    /// The name of the copy in flight, if a phase has completed without its bytes. The bytes then count in the phase
    /// after the one that threads waited for, and nothing there expects them.
    pub(super) fn unannounced(&self, copy: Stamp, spaces: &Spaces) -> Option<&'static str> {
        let copies = &self.cluster.copies;
        let CopyCompletion::Phase { object, parity } = copies.completion(copies.of(copy)?) else {
            return None;
        };
        let waited_before = self.cluster.copies.completed.get(&object) == Some(&(parity ^ 1));
        let start = object as usize;
        let bits = spaces.bytes(MemoryRegion::Shared).get(start..start + 8)?.try_into().ok()?;
        let now = Object::of_bits(u64::from_le_bytes(bits))?;
        let is_unannounced = waited_before
            && now.parity == parity
            && now.bytes < spaces.asynchronous.bytes_for(object as usize);
        is_unannounced.then(|| match self.patterns.async_stores.contains(&copy.statement()) {
            true => "`st.async`",
            false => "copy",
        })
    }
}
