//! Settings of the allocator of glibc. Other allocators need none.

pub(crate) use settings::{keep_freed, limit_arenas, trim};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no library has a safe interface of these functions")]
mod settings {
    use libc::c_int;

    /// Threads that allocate at the same time without waiting for each other.
    const MAX_ARENAS: c_int = 2;

    /// Of the bytes at the end of an arena that are not used, more are returned to the system.
    const MOST_KEPT: c_int = 256 << 20;

    /// Keeps freed blocks of up to so many bytes for the next allocations. Otherwise what is freed at the end of an arena, and large
    /// blocks, are returned at once, and the system prepares the same pages again for what is allocated next.
    pub(crate) fn keep_freed(largest: u32) {
        let largest = c_int::try_from(largest).unwrap_or(c_int::MAX);
        // SAFETY: any thread may call it at any time; it sets a number.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, largest);
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
    pub(crate) fn keep_freed(_: u32) {}

    pub(crate) fn limit_arenas() {}

    pub(crate) fn trim() {}
}
