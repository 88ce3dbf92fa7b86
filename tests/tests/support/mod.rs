//! Support for black-box tests: a client that speaks the protocol, marked sources, and the program.
//!
//! A test reads like a session:
//!
//! ```ignore
//! let mut client = Client::start();
//! let file = client.open("k.ptx", "bra DONE;\n|\n");
//! assert!(client.hover(file.cursor()).unwrap().contains("branch"));
//! ```

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "each test program uses a part, and has it as a module"
)]

mod client;
mod line;
mod program;
pub mod schemas;
mod source;
pub mod transcript;

pub use client::{Client, Options, render};
pub use line::Line;
pub use program::{Folder, run, server};
pub use source::{File, FilePosition, position, range, utf16};
