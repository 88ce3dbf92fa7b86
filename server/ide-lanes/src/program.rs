//! The statements of a decoded kernel: where they are in the text, what they were compiled from, and which have errors.

mod broken;
mod source_line;
mod statement;

pub(crate) use broken::{errors_in, item_at, touches};
pub use source_line::{FileLine, SourceLine};
pub use statement::{AddressRegister, CodePlace, Flow, Numbers, Statement};
