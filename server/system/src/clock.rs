//! The time.

use std::time::Duration;

#[cfg(target_family = "wasm")]
pub use browser::Instant;
#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

/// The time since 1970.
pub fn unix_time() -> Duration {
    #[cfg(target_family = "wasm")]
    return crate::page::now();
    #[cfg(not(target_family = "wasm"))]
    return std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
}

/// `std::time::Instant::now` panics in a browser.
#[cfg(target_family = "wasm")]
mod browser {
    use std::ops::Add;
    use std::time::Duration;

    /// A moment, by the clock of the page.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Instant {
            Instant(crate::page::now())
        }

        /// The time since then; zero if the clock was set back.
        pub fn elapsed(&self) -> Duration {
            Instant::now().saturating_duration_since(*self)
        }

        pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, duration: Duration) -> Instant {
            Instant(self.0.saturating_add(duration))
        }
    }
}
