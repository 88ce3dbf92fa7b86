//! What a run found, one entry for each cause.

mod reported;

pub use reported::{ReportedFinding, Reporter};
