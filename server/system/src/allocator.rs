//! Settings of the allocator of glibc. Other allocators need no settings.

pub use settings::{keep_freed, limit_arenas, trim};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no library has a safe interface of these functions")]
mod settings {
    use libc::c_int;

    /// How many threads can allocate at the same time without waiting for each other.
    const MAX_ARENAS: c_int = 2;

    /// Unused bytes at the end of an arena above this limit are returned to the system.
    const MOST_KEPT: c_int = 256 << 20;

    /// Keeps freed blocks of up to `largest` bytes for later allocations. By default, glibc returns large blocks and the end of an arena at
    /// once, and the system has to map and clear the same pages again for the next allocation.
    pub fn keep_freed(largest: u32) {
        let largest = c_int::try_from(largest).unwrap_or(c_int::MAX);
        // SAFETY: any thread may call this at any time; it only sets a number.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, largest);
            libc::mallopt(libc::M_TRIM_THRESHOLD, MOST_KEPT);
        }
    }

    /// Makes all threads share a few arenas. For a process that has many threads and runs for a long time.
    pub fn limit_arenas() {
        // SAFETY: any thread may call this at any time; it only sets a number.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, MAX_ARENAS) };
    }

    /// Returns unused memory to the system. This takes a few milliseconds.
    pub fn trim() {
        // SAFETY: any thread may call this at any time, and it does not touch memory that is in use.
        unsafe { libc::malloc_trim(0) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod settings {
    pub fn keep_freed(_: u32) {}

    pub fn limit_arenas() {}

    pub fn trim() {}
}
