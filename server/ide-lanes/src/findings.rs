//! What a run found, one entry for each cause.

mod reported;

pub use reported::{ReportedFinding, Reporter};

/// The code of a failed check of the launch.
pub(crate) const EXPECT_FAILED: &str = "expect-failed";
