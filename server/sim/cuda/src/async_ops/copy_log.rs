//! The last tensor copy of each statement and warp, for hovers.

use rustc_hash::FxHashMap;

use super::operation::Issuer;
use crate::tensor::box_mode::BoxMode;
use crate::tensor::map::TensorMap;

/// Maximum number of statement and warp pairs to keep.
const MAX_COPIES: usize = 256;

/// A tensor copy by one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxCopy {
    pub map: TensorMap,
    pub mode: BoxMode,
    pub loads: bool,
    pub coordinates: Vec<i32>,
    pub rows: u64,
    pub outside: u64,
    /// The offset of the tile in the shared memory of the cluster.
    pub tile: usize,
    pub issuer: Issuer,
}

/// For each statement and warp, the number of copies and the last copy.
#[derive(Clone, Debug, Default)]
pub struct CopyLog(FxHashMap<(u32, u32, u32), (u64, BoxCopy)>);

impl CopyLog {
    pub fn note(&mut self, statement: u32, copy: BoxCopy) {
        let key = (statement, copy.issuer.rank, copy.issuer.warp);
        let is_full = self.0.len() >= MAX_COPIES;
        match self.0.get_mut(&key) {
            Some((count, last)) => (*count, *last) = (*count + 1, copy),
            None if is_full => {}
            None => drop(self.0.insert(key, (1, copy))),
        }
    }

    /// For each statement in program order, the number of copies and the last copy.
    pub fn all(&self) -> Vec<(u32, u64, &BoxCopy)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|(key, _)| **key);
        all.into_iter().map(|((statement, ..), (count, copy))| (*statement, *count, copy)).collect()
    }
}
