//! Which bytes of local memory each lane has written.

/// Of one warp: a mask of lanes per byte.
#[derive(Debug, Default)]
pub(super) struct LocalShadow {
    written: Vec<u32>,
}

impl LocalShadow {
    /// The lanes of `mask` have written all of `start..start + len`.
    pub(super) fn write(&mut self, start: u64, len: u64, mask: u32) {
        for byte in self.bytes(start, len) {
            *byte |= mask;
        }
    }

    /// In a new call, the lanes of `mask` have written nothing.
    pub(super) fn clear(&mut self, start: u64, len: u64, mask: u32) {
        for byte in self.bytes(start, len) {
            *byte &= !mask;
        }
    }

    /// Whether a lane has written all of `start..start + len`.
    pub(super) fn is_written(&self, start: u64, len: u64, lane: u32) -> bool {
        let range = start as usize..(start + len) as usize;
        self.written.get(range).is_some_and(|bytes| bytes.iter().all(|byte| byte >> lane & 1 == 1))
    }

    fn bytes(&mut self, start: u64, len: u64) -> &mut [u32] {
        let range = start as usize..(start + len) as usize;
        if self.written.len() < range.end {
            self.written.resize(range.end, 0);
        }
        &mut self.written[range]
    }
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
