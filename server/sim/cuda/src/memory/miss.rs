//! Faults of invalid accesses: outside of all objects, misaligned, or stores to read-only memory.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::objects::{bytes, display_name, grouped};

use super::local::Local;
use super::named::{NamedObject, ObjectKind, area};
use super::region::InvalidAccess;
use super::spaces::Spaces;
use crate::address::Space;
use crate::fault::Fault;

/// An address farther away than this is unrelated to the nearest object.
const FAR: u64 = 1 << 20;
/// Like [`FAR`], but in local memory, where other calls have had variables.
const LOCAL_FAR: u64 = 64;

enum Position {
    Before(u64),
    /// Starts at this offset in the object or behind it.
    At(u64),
}

impl InvalidAccess {
    fn what(self) -> String {
        format!("{} of {}", self.mode.name(), bytes(self.span))
    }

    /// How far the address is below 0, if it is too large to be any other address of its space.
    fn below_zero(self) -> Option<u64> {
        match self.address {
            0x8000_0000_0000_0000.. => Some(self.address.wrapping_neg()),
            0x8000_0000..=0xffff_ffff if !matches!(self.space, Space::Global | Space::Generic) => {
                Some((1 << 32) - self.address)
            }
            _ => None,
        }
    }

    /// The nearest object, and the position of the access relative to it.
    fn nearest(self, named: &[NamedObject]) -> Option<(&NamedObject, Position)> {
        if let Some(below) = self.below_zero() {
            let first = named.iter().min_by_key(|named| named.object.start)?;
            return Some((first, Position::Before(below + first.object.start)));
        }
        let nearest = named.iter().min_by_key(|named| named.object.distance(self.address, self.span))?;
        let position = match self.address.checked_sub(nearest.object.start) {
            Some(offset) => Position::At(offset),
            None => Position::Before(nearest.object.start - self.address),
        };
        Some((nearest, position))
    }
}

impl Spaces {
    pub(super) fn miss(&self, access: InvalidAccess, local: &Local) -> Fault {
        let InvalidAccess { space, address, mode, .. } = access;
        if let Some(fault) = self.absent_block(space, address, mode) {
            return fault;
        }
        let Some((area, _)) = area(space, address) else { return through_null(access) };
        let named = self.named(space, address, local);
        let far = || {
            let (what, name) = (access.what(), area.name());
            let fix = match area {
                Space::Local => "a variable of a function that has returned, or an index beyond an array? ",
                _ => "",
            };
            let message = format!(
                "{what} at address {address:#x}, outside {name} memory\n{fix}check the address computation"
            );
            Fault::new(FindingKind::OutOfBounds, message, 0)
        };
        let max = if area == Space::Local { LOCAL_FAR } else { FAR };
        match access.nearest(&named) {
            Some((named, Position::Before(bytes))) if bytes <= max => before(access, named, bytes),
            Some((named, Position::At(offset))) if offset <= named.object.len.saturating_add(max) => {
                beyond(access, named, offset)
            }
            _ => far(),
        }
    }

    /// The fault of an access at an address that is not a multiple of its size.
    pub(super) fn misaligned(&self, access: InvalidAccess, local: &Local) -> Fault {
        let InvalidAccess { space, address, span, unit, .. } = access;
        let message = format!(
            "{} at {}\nthe address {address:#x} is not a multiple of {span}; align it, or use smaller \
             accesses",
            access.what(),
            self.element(space, address, unit, local)
        );
        Fault::new(FindingKind::Misaligned, message, 0)
    }

    pub(super) fn read_only(&self, access: InvalidAccess, local: &Local) -> Fault {
        let InvalidAccess { space, address, unit, .. } = access;
        let element = self.element(space, address, unit, local);
        let message = match area(space, address) {
            Some((Space::Param, _)) => {
                format!("store to the kernel parameter {element}\nstore to a buffer instead")
            }
            _ => format!("store to {element} in constant memory\nput variable data into global memory"),
        };
        Fault::new(FindingKind::ReadOnly, message, 0)
    }
}

fn through_null(access: InvalidAccess) -> Fault {
    let InvalidAccess { address, mode, .. } = access;
    let message = format!(
        "{} at address {address:#x}\npass a buffer in the launch, or test the pointer first",
        mode.name()
    );
    Fault::new(FindingKind::NullPointer, message, 0)
}

fn before(access: InvalidAccess, named: &NamedObject, distance: u64) -> Fault {
    let name = display_name(&named.object.name);
    let message = format!(
        "{} {} before `{name}`\nnegative index? Check it, or guard the access",
        access.mode.name(),
        bytes(distance)
    );
    Fault::new(FindingKind::OutOfBounds, message, 0)
}

/// An access that ends, and perhaps starts, past the end of an object.
fn beyond(access: InvalidAccess, NamedObject { object, kind }: &NamedObject, offset: u64) -> Fault {
    let InvalidAccess { span, unit, .. } = access;
    let (name, element) = (display_name(&object.name), object.element(offset, unit));
    let (what, len) = (access.what(), object.len);
    if *kind == ObjectKind::Freed {
        let message = format!("{what} in `{name}`\nfree it after its last use");
        return Fault::new(FindingKind::UseAfterFree, message, 0);
    }
    let needed = offset.saturating_add(span);
    if *kind == ObjectKind::Multimem && needed <= len {
        let message = format!(
            "{what} at {element} through a multimem address\nonly `multimem` instructions may use it; pass the \
             address of a replica: alias = \"{name}#0\""
        );
        return Fault::new(FindingKind::NoMeaning, message, 0);
    }
    let title = match (offset < len, kind) {
        (true, _) => format!("{what} at {element} ends {} beyond `{name}`", bytes(needed - len)),
        (false, ObjectKind::DynamicShared) => format!("{element} is beyond dynamic shared memory"),
        (false, _) => format!("{element} is beyond `{name}`, {}", object.extent(unit)),
    };
    let (len, needed) = (bytes(len), grouped(needed));
    let details = match kind {
        ObjectKind::DynamicShared => format!(
            "the launch gives {len}, this access needs {needed}; guard the access, or set `dynamic_shared`"
        ),
        ObjectKind::Buffer => {
            format!(
                "`{name}` has {len}, this {what} needs {needed}; guard the access, or make the buffer larger"
            )
        }
        _ => format!("`{name}` has {len}, this {what} needs {needed}; guard the access, or make it larger"),
    };
    Fault::new(FindingKind::OutOfBounds, format!("{title}\n{details}"), 0)
}
