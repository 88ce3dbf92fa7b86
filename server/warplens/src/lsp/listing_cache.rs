//! The listings that disassemblers made last.

use std::sync::{Arc, Mutex, PoisonError};

use warplens_tools::listing::Tools;

/// The limits of the listings that are kept: their number, and the bytes of files and listings.
const MAX_KEPT: usize = 8;
const MAX_KEPT_BYTES: usize = 64 << 20;

/// The listings that were made last, by the contents of the file and the tools.
#[derive(Default)]
pub(crate) struct ListingCache(Mutex<Vec<Kept>>);

/// A listing, with what it was made of.
pub(crate) struct Kept {
    pub(crate) tools: Tools,
    pub(crate) bytes: Vec<u8>,
    pub(crate) listing: Arc<str>,
}

impl ListingCache {
    /// The listing of a file with these contents, if it is kept.
    pub(crate) fn find(&self, tools: &Tools, bytes: &[u8]) -> Option<Arc<str>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| kept.tools == *tools && kept.bytes == bytes).map(|kept| kept.listing.clone())
    }

    /// Keeps a listing; the oldest are dropped at the limits.
    pub(crate) fn keep(&self, new: Kept) {
        let size = |kept: &Kept| kept.bytes.len() + kept.listing.len();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(new);
        while kept.len() > MAX_KEPT || kept.iter().map(size).sum::<usize>() > MAX_KEPT_BYTES {
            kept.remove(0);
        }
    }
}
