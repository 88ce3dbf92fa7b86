//! The most recent listings of machine code.

use std::sync::{Arc, Mutex, PoisonError};

use warplens_tools::listing::Tools;

/// The limits of the cache: the number of listings, and the bytes of files and listings together.
const MAX_KEPT: usize = 8;
const MAX_KEPT_BYTES: usize = 64 << 20;

/// The most recent listings, by the contents of the file and the tools.
#[derive(Default)]
pub(crate) struct ListingCache(Mutex<Vec<Kept>>);

/// A listing, with the tools and the file that it was made from.
pub(crate) struct Kept {
    pub(crate) tools: Tools,
    pub(crate) bytes: Vec<u8>,
    pub(crate) listing: Arc<str>,
}

impl ListingCache {
    pub(crate) fn find(&self, tools: &Tools, bytes: &[u8]) -> Option<Arc<str>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| kept.tools == *tools && kept.bytes == bytes).map(|kept| kept.listing.clone())
    }

    /// Adds a listing, and drops the oldest ones above the limits.
    pub(crate) fn keep(&self, new: Kept) {
        let size = |kept: &Kept| kept.bytes.len() + kept.listing.len();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(new);
        while kept.len() > MAX_KEPT || kept.iter().map(size).sum::<usize>() > MAX_KEPT_BYTES {
            kept.remove(0);
        }
    }
}
