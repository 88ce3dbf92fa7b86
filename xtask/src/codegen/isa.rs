//! Placeholder until its generator lands.

use anyhow::Result;

use super::Mode;

pub(crate) fn run(_mode: Mode) -> Result<()> {
    Ok(())
}
