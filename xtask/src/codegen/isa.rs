//! Instruction data: `server/isa/data/**/*.toml` to the tables of `server/isa/src/generated/`.
//!
//! The data is checked strictly here, so that a mistake in it is named with its file and entry and never reaches a table.

pub(super) mod data;
mod forms;
mod perfect_hash;
mod ptx;
pub(super) mod ptx_data;
mod rust;
mod wave;
pub(super) mod wave_data;

use anyhow::Result;

use super::{Mode, ensure_file_contents, rust_source};

/// The folder of the data, from the workspace root.
const DATA: &str = "server/isa/data";

/// Writes the tables, or says that they are stale.
pub(crate) fn run(mode: Mode) -> Result<()> {
    let ptx = rust_source("isa", &ptx::tables(&ptx_data::load()?)?)?;
    ensure_file_contents("server/isa/src/generated/ptx.rs", &ptx, mode)?;
    let wave = rust_source("isa", &wave::tables(&wave_data::load()?)?)?;
    ensure_file_contents("server/isa/src/generated/wave.rs", &wave, mode)
}
