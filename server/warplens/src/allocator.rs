//! Settings of the allocator of glibc. Other allocators need none.

pub(crate) use settings::{keep_freed, limit_arenas, trim};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no library has a safe interface of these functions")]
mod settings {
    use libc::c_int;

    /// Threads that allocate at the same time without waiting for each other.
    const MAX_ARENAS: c_int = 2;

    /// Blocks of more bytes are returned to the system once they are freed.
    const LARGEST_KEPT: c_int = 64 << 20;

    /// Of the bytes at the end of an arena that are not used, more are returned to the system.
    const MOST_KEPT: c_int = 256 << 20;

    /// Keeps freed memory for the next allocations, for a process that ends soon. Otherwise texts and trees of large documents are
    /// returned as soon as they are freed, and the system prepares pages again for what is allocated next.
    pub(crate) fn keep_freed() {
        // SAFETY: any thread may call it at any time; it sets a number.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_KEPT);
            libc::mallopt(libc::M_TRIM_THRESHOLD, MOST_KEPT);
        }
    }

    /// Lets all threads use few arenas, for a process of many threads that runs for long.
    pub(crate) fn limit_arenas() {
        // SAFETY: any thread may call it at any time; it sets a number.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, MAX_ARENAS) };
    }

    /// Returns memory that is not used to the system, in a few milliseconds.
    pub(crate) fn trim() {
        // SAFETY: any thread may call it at any time, and it changes no memory that is in use.
        unsafe { libc::malloc_trim(0) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod settings {
    pub(crate) fn keep_freed() {}

    pub(crate) fn limit_arenas() {}

    pub(crate) fn trim() {}
}
