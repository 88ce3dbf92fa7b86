//! Tracks which bytes of local memory each lane has written with a defined value.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::undefined_use::UndefinedOrigin;
use crate::memory::zero_pages::ZeroPages;

/// Bytes of local memory that a page of the shadow covers.
const PAGE: usize = 64;

/// The shadow of one warp's local memory: a mask of lanes per byte.
#[derive(Clone, Debug, Default)]
pub struct LocalShadow {
    written: ZeroPages<u32, PAGE>,
    /// The origins of stored undefined values, by word.
    origins: FxHashMap<u64, UndefinedOrigin>,
}

/// The word of local memory that contains a byte.
fn word_of(byte: u64) -> u64 {
    byte & !3
}

impl LocalShadow {
    /// The lanes of `mask` have written all of `start..start + len`.
    pub fn write(&mut self, start: u64, len: u64, mask: u32) {
        self.written.update(range(start, len), |byte| *byte |= mask);
    }

    /// In a new call, the lanes of `mask` have not written this range.
    pub(crate) fn clear(&mut self, start: u64, len: u64, mask: u32) {
        self.written.update_written(range(start, len), |byte| *byte &= !mask);
        if !self.origins.is_empty() {
            self.origins.retain(|word, _| !(start..start + len).contains(word));
        }
    }

    pub fn undefine(&mut self, at: u64, lane: u32, origin: Option<UndefinedOrigin>) {
        self.written.update_written(range(at, 1), |byte| *byte &= !(1 << lane));
        if let Some(origin) = origin {
            self.origins.insert(word_of(at), origin);
        }
    }

    /// The origin of an undefined value stored in these bytes, if one was recorded.
    pub fn origin(&self, bytes: Range<u64>, lane: u32) -> Option<UndefinedOrigin> {
        if self.origins.is_empty() {
            return None;
        }
        bytes
            .filter(|&byte| !self.is_written(byte, 1, lane))
            .find_map(|byte| self.origins.get(&word_of(byte)).copied())
    }

    pub fn copy(&mut self, from: u64, to: u64, len: u64, mask: u32) {
        for at in 0..len {
            let source = self.lanes(from + at);
            let target = (to + at) as usize;
            if source != 0 || self.written.has(target) {
                let byte = self.written.get_mut(target);
                *byte = *byte & !mask | source & mask;
            }
            if !self.origins.is_empty()
                && let Some(&origin) = self.origins.get(&word_of(from + at))
            {
                self.origins.insert(word_of(to + at), origin);
            }
        }
    }

    pub fn lanes(&self, at: u64) -> u32 {
        self.written.get(at as usize).copied().unwrap_or(0)
    }

    /// Whether a lane has written all of `start..start + len`.
    pub(crate) fn is_written(&self, start: u64, len: u64, lane: u32) -> bool {
        let mut parts = self.written.parts(range(start, len));
        parts.all(|part| part.is_some_and(|bytes| bytes.iter().all(|byte| byte >> lane & 1 == 1)))
    }

    /// Bytes of host memory.
    pub(super) fn bytes(&self) -> u64 {
        let of_origin = size_of::<(u64, UndefinedOrigin)>();
        self.written.bytes() + (self.origins.capacity() * of_origin) as u64
    }
}

fn range(start: u64, len: u64) -> Range<usize> {
    start as usize..(start + len) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_tracked_per_lane() {
        let mut local = LocalShadow::default();
        local.write(4, 2, 0b11);
        assert!(local.is_written(4, 2, 0) && !local.is_written(4, 4, 0) && !local.is_written(4, 1, 2));
        assert!(!local.is_written(1000, 4, 0));
        local.clear(0, 8, 0b01);
        assert!(!local.is_written(5, 1, 0) && local.is_written(5, 1, 1));
    }
}
