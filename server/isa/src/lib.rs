//! What the instruction sets are: data turned into tables, and no code that reads programs.
//!
//! The facts are in `data/<language>/*.toml`, written by hand; `cargo xtask codegen` turns them into the tables of
//! `generated/`. Every name is found in constant time, and nothing is parsed or allocated at run time.

#[macro_use]
mod tables;

mod category;
mod generated;
mod hash;
pub mod ptx;
mod role;
pub mod sass;
mod schema;
mod version;
pub mod wave;

pub use category::Category;
pub use schema::entry::{Role, Simulation};
pub use tables::{Entries, List, Shared};
pub use version::Version;
