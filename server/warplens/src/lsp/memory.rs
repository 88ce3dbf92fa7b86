//! Returns freed memory to the system.
//!
//! Threads of the server free memory that others have allocated, and a run needs much memory for a short time. The allocator of glibc
//! keeps freed memory in an arena for each thread, so after hours of such work the server holds several times the memory that it uses.
//! Therefore the server limits glibc to few arenas, and returns unused memory:
//!
//! * right after the first check of a long document;
//! * on a thread, a few seconds after a document was opened or closed, a request about a whole document was answered, or a run ended.
//!
//! The thread waits while such events keep coming, as they do while the user types, because returning memory that is needed again costs
//! time. Other allocators return memory themselves.

use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use warplens_system::allocator;

/// How long freed memory is kept, so that memory freed in one go is returned in one go.
const DELAY: Duration = Duration::from_secs(3);

/// The limit of delays that the thread waits while memory is freed without a pause.
const MOST_DELAYS: usize = 3;

/// Freed blocks of up to this size are reused. The copies of a long message are larger: if they were kept, they would add to the memory
/// that the first check of its text needs.
const LARGEST_KEPT: u32 = 4 << 20;

/// The thread that returns memory. It ends when this is dropped.
pub(crate) struct MemoryTrimmer {
    freed: Sender<()>,
}

impl MemoryTrimmer {
    /// Starts the thread. Threads that are started later share arenas.
    pub(crate) fn start() -> io::Result<MemoryTrimmer> {
        allocator::limit_arenas();
        allocator::keep_freed(LARGEST_KEPT);
        let (freed, events) = bounded(1);
        thread::Builder::new().name("memory".to_owned()).spawn(move || trim_after(&events))?;
        Ok(MemoryTrimmer { freed })
    }

    /// Reports that much memory was freed, or soon will be.
    pub(crate) fn freed(&self) {
        // A full channel means that memory will be returned anyway.
        let _ = self.freed.try_send(());
    }
}

fn trim_after(events: &Receiver<()>) {
    for () in events {
        for _ in 0..MOST_DELAYS {
            thread::sleep(DELAY);
            if events.try_recv().is_err() {
                break;
            }
        }
        allocator::trim();
    }
}
