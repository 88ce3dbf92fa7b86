//! Returns freed memory to the system.
//!
//! Threads of the server free what others have allocated, and a run needs much memory for a short time. The allocator of glibc keeps
//! freed memory for later, in an arena for each thread, so that after hours of such work the server has several times the memory that
//! it uses. The server limits it to few arenas. After the first check of a long document it returns what is not used. A short while
//! after a document was opened or closed, its diagnostics were published, a request about all of it was answered, or a run has
//! ended, a thread does so again. While this happens all the time, as in typing, it waits: memory that is returned and needed again
//! takes time. Other allocators do so themselves.

use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::allocator;

/// How long memory stays after it was freed: what is freed together is returned together.
const DELAY: Duration = Duration::from_secs(3);

/// How many such delays without a pause it waits at most.
const MOST_DELAYS: usize = 3;

/// Freed memory of up to so many bytes is used again. The copies of a long message are larger: kept, they would add to the memory that
/// the first check of its text needs.
const LARGEST_KEPT: u32 = 4 << 20;

/// The thread that returns memory; it ends with this.
pub(crate) struct MemoryTrimmer {
    freed: Sender<()>,
}

impl MemoryTrimmer {
    /// Starts the thread; before others, which then share arenas.
    pub(crate) fn start() -> io::Result<MemoryTrimmer> {
        allocator::limit_arenas();
        allocator::keep_freed(LARGEST_KEPT);
        let (freed, events) = bounded(1);
        thread::Builder::new().name("memory".to_owned()).spawn(move || trim_after(&events))?;
        Ok(MemoryTrimmer { freed })
    }

    /// Much memory was freed, or soon is.
    pub(crate) fn freed(&self) {
        // If the channel is full, memory is returned anyway.
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
