//! Launches: which kernel runs, in which size, with which arguments.
//!
//! A launch is written in `warplens.toml` (or the equivalent JSON), in a line of a batch, in an `@launch` comment of
//! the source, or in command-line flags. If none is configured, it is inferred from the kernel. Every source gives a
//! [`Launch`], which [`resolve`](fn@resolve) turns into the bytes that a run starts from. The caller provides all texts and file
//! contents; nothing here reads a file.

mod batch;
pub mod body;
pub mod buffers;
mod comment;
mod contents;
pub(crate) mod cuda_kernel;
mod draft;
mod expectation;
mod fields;
pub mod file_pattern;
mod flags;
mod json_text;
pub mod kernel;
pub mod keys;
pub mod model;
pub mod problem;
mod read;
mod read_multimem;
mod read_tensor_map;
mod repair;
pub mod resolve;
mod schema;
mod tensor_map;
mod toml_text;
mod tree;
#[cfg(test)]
mod typescript;
mod write_expectation;

pub use batch::{BatchId, BatchLine, batch_line};
pub use body::{Access, Body, Part};
pub use buffers::{Budget, DEVICE_MEMORY, NewBuffer, PlacedBuffer};
pub use comment::{CommentLaunch, LAUNCH_TAG, in_comments};
pub use contents::{FileReader, build};
pub use cuda_kernel::{CudaKernel, Parameter};
pub use draft::{launch_comment, launch_keys, launch_name, launch_table};
pub use expectation::{Failure, differences, same, show, verify};
pub use flags::{arguments, extent};
pub use kernel::{Kernel, LaunchRules};
pub use model::{
    Alias, Argument, Buffer, Contents, Element, Expectation, ExpectedFile, Field, Fill, Launch, MapBuffer,
    Number, Passed, TensorMapArgument, Wanted, size,
};
pub use problem::{LineStarts, Problem, Span};
pub use read::{Format, Listed, launch_object, launch_text, launches, refuse_duplicate_names};
pub use repair::{Guess, Repair, Trouble, is_clean};
pub use resolve::{Resolved, resolve};
pub use schema::{ModelChoice, documentation, schema};
pub use write_expectation::{expectation_of, write_expectation};

/// The name of the inferred launch, reserved in launch files.
pub const INFERRED: &str = "inferred";
