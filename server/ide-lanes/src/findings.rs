//! What a run found, one entry for each cause.

mod reported;
mod unexpected;

pub use reported::{ReportedFinding, Reporter};
pub use unexpected::{Unexpected, UnexpectedElement};
