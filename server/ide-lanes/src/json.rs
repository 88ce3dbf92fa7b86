//! A run as JSON: the output of `warplens sim --format json` and the response of `warplens/laneMasks`.
//!
//! The format is a contract with users; it is defined only here.

mod coverage;
mod finding;
mod line;
mod mask;
mod masks;
mod numbers;
pub(crate) mod placed;
mod position;
mod report;
mod sources;

pub(crate) use finding::JsonFinding;
pub(crate) use line::JsonLine;
pub(crate) use mask::hex;
pub use masks::Masks;
pub(crate) use masks::{JsonChosen, MaskLines};
pub(crate) use placed::PlacedTraces;
pub use placed::StatementTrace;
pub use position::{Position, Positions};
pub use report::{Options, Report, Summary};
pub(crate) use sources::SourceLanes;
