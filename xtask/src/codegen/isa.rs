//! Generates the tables of `server/isa/src/generated/` from the instruction data, `server/isa/data/**/*.toml`.
//!
//! All data is checked strictly here, so that a mistake is reported with its file and entry and never gets into a table.

mod availability;
mod brackets;
pub(super) mod data;
mod file;
mod forms;
mod ptx;
pub(super) mod ptx_data;
mod rust;
mod sass;
pub(super) mod sass_data;
pub(super) mod schema;
mod wave;
pub(super) mod wave_data;

use anyhow::Result;

use super::output::{Mode, ensure_file_contents, rust_source};

/// Writes the tables, or reports which are out of date.
pub(crate) fn run(mode: Mode) -> Result<()> {
    let ptx = ptx::tables(&mut ptx_data::load()?)?;
    let wave = wave::tables(&mut wave_data::load()?)?;
    let sass = sass::tables(&mut sass_data::load()?)?;
    for file in ptx.iter().chain(&wave).chain(&sass) {
        let path = format!("server/isa/src/generated/{}.rs", file.path);
        ensure_file_contents(&path, &rust_source("isa", &file.source)?, mode)?;
    }
    Ok(())
}
