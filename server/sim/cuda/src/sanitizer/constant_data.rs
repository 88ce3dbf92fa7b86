//! Loads with `.nc`, and `ldu`, of data that the launch itself has written: they may come from a cache that is not coherent.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Related, Severity};

use super::Sanitizer;
use super::event::AccessEvent;
use super::stamp::Stamp;
use crate::memory::region::CheckedAddresses;
use crate::memory::spaces::Spaces;
use crate::registers::lanes;

/// The longest range of a warp's addresses, in bytes, that is looked at as a whole.
const LONGEST: u64 = 1024;

impl Sanitizer {
    pub(super) fn check_constant_data(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        if !self.report.checks.races || self.is_clean_range(event) {
            return;
        }
        let written = lanes(event.mask).find_map(|lane| {
            let extent = event.extent(lane).filter(|extent| extent.region.is_device())?;
            let index = extent.index(event.addresses[lane]) as u64;
            let (shadow, _) = self.memory.of(extent.region)?;
            let (write, at) = shadow.find_write(index, event.span(), Stamp::is_there)?;
            Some((lane, extent.region, write, at.max(index)))
        });
        let Some((lane, region, write, at)) = written else { return };
        if !self.report.note_new(FindingKind::ReadOnly, Some(write.statement())) {
            return;
        }
        let object = spaces.common_element(region, at, event.size.into());
        let message = format!(
            "this load reads {object}, which the launch wrote\n`ld.global.nc` and `ldu` are for data that does not \
             change while the kernel runs: they may read an old value from a cache. Use `ld.global`"
        );
        let related = Related::new(write.statement(), format!("{object} is written here"));
        let statement = self.report.visit.statement;
        let finding = self.report.warp().finding(FindingKind::ReadOnly, message, statement, 1u32 << lane);
        self.report.findings.push(finding.with_severity(Severity::Warning).with([related]));
    }

    /// Whether all lanes access a short range that the launch has not written: the common case.
    fn is_clean_range(&mut self, event: &AccessEvent<'_>) -> bool {
        let CheckedAddresses::One(extent) = event.checked else { return false };
        let addresses = || lanes(event.mask).map(|lane| event.addresses[lane]);
        let (Some(least), Some(greatest)) = (addresses().min(), addresses().max()) else { return true };
        let (start, len) = (extent.index(least) as u64, greatest - least + event.span());
        let Some((shadow, _)) = self.memory.of(extent.region).filter(|_| extent.region.is_device()) else {
            return true;
        };
        len <= LONGEST && shadow.is_unwritten(start, len)
    }
}
