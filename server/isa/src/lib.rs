//! The instruction sets as tables. Code that reads programs is in other crates.
//!
//! Facts are written by hand in `data/<language>/*.toml`; `cargo xtask codegen` turns them into the tables of
//! `generated/`. Names are looked up in constant time, and nothing is parsed or allocated at run time.

#[macro_use]
mod tables;

mod category;
mod generated;
mod promise;
pub mod ptx;
mod role;
pub mod sass;
mod schema;
mod version;
pub mod wave;

pub use category::Category;
pub use promise::Promise;
pub use schema::entry::{Evidence, Role, Simulation};
pub use tables::{Entries, List, Shared};
pub use version::Version;
