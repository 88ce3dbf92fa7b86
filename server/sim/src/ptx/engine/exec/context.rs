//! The state that an operation may access in addition to its registers.
use crate::ptx::engine::memory::local::Local;
use crate::ptx::engine::memory::region::CheckedAddresses;
use crate::ptx::engine::memory::spaces::Spaces;
use crate::ptx::engine::sanitizer::Sanitizer;
use crate::ptx::engine::sanitizer::copies::{CopyCompletion, CopyRange};
use crate::ptx::engine::sanitizer::event::AccessEvent;

/// The state that an operation may access in addition to its registers.
pub(crate) struct ExecContext<'w> {
    pub(crate) spaces: &'w mut Spaces,
    pub(crate) local: &'w mut Local,
    /// The start of the frame's local memory.
    pub(crate) frame_base: u32,
    /// The warp's carry flags.
    pub(crate) carry: &'w mut u32,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// Instructions executed by the launch.
    pub(crate) clock: u64,
    /// The sanitizer, if the run has one.
    pub(crate) sanitizer: Option<&'w mut Sanitizer>,
}

impl ExecContext<'_> {
    /// Reports an access to the sanitizer, after the address check and before memory is read or written.
    #[inline(always)]
    pub(crate) fn notify(&mut self, told: &AccessEvent<'_>) {
        if let Some(sanitizer) = &mut self.sanitizer {
            sanitizer.accessed(told, self.spaces);
        }
    }

    /// Reports that the copy of a range, reported before as an access, is in flight.
    pub(crate) fn copy_started(
        &mut self,
        checked: &CheckedAddresses,
        address: u64,
        span: u64,
        lane: usize,
        writes: bool,
        until: CopyCompletion,
    ) {
        if let Some(sanitizer) = &mut self.sanitizer
            && let Some(extent) = checked.of(lane)
        {
            let index = extent.index(address) as u64;
            sanitizer.copy_started(CopyRange { region: extent.region, index, span, writes }, lane, until);
        }
    }
}
