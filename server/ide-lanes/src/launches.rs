//! The launches of a document: those that are configured, those that are inferred, and the one that a request selects.

mod available;
mod choice;
mod host_launches;
mod kernels;
mod launch_file;
pub mod launch_text;
mod model_names;

pub(crate) use available::available_launches;
#[cfg(test)]
pub(crate) use available::launches_in;
pub use available::{AvailableLaunch, LaunchSource, launches_of};
pub use choice::Choice;
pub(crate) use choice::{ChosenLaunch, choose};
pub(crate) use kernels::{kernel_called, kernels_of};
pub use launch_file::{DocumentName, HostFile, LaunchFile, LaunchFiles};
pub use model_names::{UnknownModel, model_named};
