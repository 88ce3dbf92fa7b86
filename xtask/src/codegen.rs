//! Generated files. They are written from the grammars, the instruction data and the measured figures, committed, and
//! checked in CI.
//!
//! A generator builds the whole text of a file and passes it to [`output::ensure_file_contents`]. The old contents of a file
//! must not influence the new contents.

mod grammar;
mod isa;
mod measurements;
mod output;
mod reference;
mod textmate;

use anyhow::Result;
pub(crate) use output::Mode;

/// Runs every generator.
pub(crate) fn run(mode: Mode) -> Result<()> {
    grammar::run(mode)?;
    isa::run(mode)?;
    textmate::run(mode)?;
    reference::run(mode)?;
    measurements::run(mode)
}
