//! The warp core: data structures and algorithms that the machines of all languages share.
//!
//! A language adds its program, its registers and its divergence models; it implements [`Executable`] for its decoded kernels.
//! Nothing here depends on a language.

pub(crate) mod control_flow;
pub(crate) mod correction;
pub(crate) mod dyn_eq;
pub(crate) mod executable;
pub(crate) mod finding_kind;
pub(crate) mod findings;
pub(crate) mod lane_masks;
pub(crate) mod lane_row;
pub(crate) mod lanes;
pub(crate) mod launch_config;
pub(crate) mod listing;
pub(crate) mod moment;
pub(crate) mod race_scope;
pub(crate) mod races;
pub(crate) mod severity;
pub(crate) mod spin;
pub(crate) mod value_tracer;
pub(crate) mod watched_byte;

pub use control_flow::{BlockEnd, ControlFlow};
pub use correction::Correction;
pub use dyn_eq::DynEq;
pub use executable::{Executable, ModelInfo};
pub use finding_kind::FindingKind;
pub use launch_config::LaunchConfig;
pub use race_scope::RaceScope;
