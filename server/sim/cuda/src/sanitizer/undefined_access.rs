//! The undefined values that the running instruction loads, stores or computes.

use super::event::{AccessEvent, AccessKind};
use super::undefined_use::{UndefinedOrigin, UndefinedUse};

/// Maximum number of bytes of a load or a store.
const SPAN: usize = 32;

/// Maximum number of elements of a load.
const ELEMENTS: usize = 8;

/// The undefined values that the running instruction loads, stores or computes.
#[derive(Default)]
pub struct UndefinedAccess {
    /// The lanes that divide by zero.
    pub divided: u32,
    /// Undefined bytes that are loaded: the lanes for each byte of the access.
    pub loaded: [u32; SPAN],
    /// For each element, the origin of a loaded value that was undefined when it was stored.
    pub origins: [Option<UndefinedOrigin>; ELEMENTS],
    /// Undefined bytes that are stored: the lanes for each byte of the access.
    pub stored: [u32; SPAN],
    pub stored_origin: Option<UndefinedOrigin>,
    /// The store of an undefined value, except a copy of a value with some defined bytes.
    pub store: Option<UndefinedUse>,
    /// The lanes whose store is visible to other threads.
    pub visible: u32,
}

impl UndefinedAccess {
    /// A lane loads an element with undefined bytes.
    pub(crate) fn loaded(
        &mut self,
        event: &AccessEvent<'_>,
        element: usize,
        lane: u32,
        mut is_defined: impl FnMut(u64) -> bool,
    ) {
        if event.kind != AccessKind::Load {
            return;
        }
        for byte in 0..event.size {
            let at = element * event.size as usize + byte as usize;
            if let Some(lanes) = self.loaded.get_mut(at)
                && !is_defined(byte.into())
            {
                *lanes |= 1 << lane;
            }
        }
    }

    /// The undefined bits of a loaded element, sign-extended like the value.
    pub fn loaded_bits(&self, size: u32, signed: bool, element: usize, lane: usize) -> u64 {
        let size = size as usize;
        if size > 8 {
            return u64::MAX;
        }
        let bytes = self.loaded.get(element * size..(element + 1) * size).unwrap_or_default();
        let undefined = |lanes: &u32| lanes >> lane & 1 == 1;
        if bytes.iter().all(undefined) {
            return u64::MAX;
        }
        let bits = bytes.iter().enumerate().filter(|(_, lanes)| undefined(lanes));
        let bits = bits.fold(0, |bits, (byte, _)| bits | 0xff << (8 * byte));
        let shift = 64 - 8 * size;
        if signed { ((bits << shift) as i64 >> shift) as u64 } else { bits }
    }
}
