//! What an editor or a terminal asks for: diagnostics, lenses, hovers, the lanes panel, comparisons, traces.

pub mod compare;
mod diagnostics;
pub mod fixes;
mod hover;
mod lens;
pub mod operands;
pub mod panel;
pub mod same_registers;
mod steps;
mod warps;

pub use diagnostics::findings_of;
pub use hover::{hover, with_documentation};
pub use lens::{Click, Lens, LensRank, LensStyle, LensTarget, lenses_of};
pub use steps::{JsonStep, Step, Steps};
pub use warps::{WarpSummaries, WarpSummary};
