//! Launches: what is run, how large, with which arguments.
//!
//! A launch is written in `warplens.toml` (or the same as JSON), in an `@launch` comment of the source, or in flags of the
//! command line; if none is configured, it is inferred from the kernel. Each way gives the same [`Launch`], which
//! [`resolve`] turns into the bytes that a run starts from. Texts and the contents of files come from the caller: nothing
//! here reads a file.

mod comment;
mod contents;
mod expectation;
mod flags;
mod infer;
mod json_text;
mod kernel;
mod model;
mod pointers;
mod problem;
mod read;
mod resolve;
mod scalar;
#[cfg(test)]
mod schema;
mod shape;
mod toml_text;
mod tree;

pub use comment::{CommentLaunch, LAUNCH_TAG, in_comments};
pub use contents::{FileReader, build};
pub use expectation::{Failure, show, verify};
pub use flags::{arguments, extent};
pub use infer::{inferred, inferred_size, with_arguments};
pub use kernel::{Kernel, KernelKind, Parameter, PtxKernel, WaveKernel};
pub use model::{Argument, Buffer, Contents, Element, Expectation, Field, Fill, Launch, Passed, size};
pub use pointers::{Access, Body, Part};
pub use problem::{Problem, Span};
pub use read::{Format, Listed, launch_object, launches};
pub use resolve::{DEVICE_MEMORY, PlacedBuffer, Resolved, resolve};
pub use scalar::{Class, ScalarKind};
pub use shape::Shape;

/// The name of the inferred launch; launch files may not use it.
pub const INFERRED: &str = "inferred";
