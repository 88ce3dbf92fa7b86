//! The TextMate grammars of the VS Code extension. Their word lists come from the instruction data, their structure from
//! this module.
//!
//! They highlight a file before the server has answered, or if there is no server. They know words, not structure:
//! whether a name is a register or a variable depends on its declaration, so that is left to the semantic tokens of the
//! server.

mod ptx;
mod rules;
mod sass;
mod wave;

use anyhow::Result;
use serde_json::Value;

use super::isa::{ptx_data, sass_data, wave_data};
use super::output::{Mode, ensure_file_contents};

/// Writes the grammars, or reports which are out of date.
pub(crate) fn run(mode: Mode) -> Result<()> {
    let ptx = ptx::grammar(&ptx_data::load()?);
    ensure_file_contents("editors/vscode/syntaxes/ptx.tmLanguage.json", &text(&ptx)?, mode)?;
    let wave = wave::grammar(&wave_data::load()?);
    ensure_file_contents("editors/vscode/syntaxes/wave-asm.tmLanguage.json", &text(&wave)?, mode)?;
    let sass = sass::grammar(&sass_data::load()?);
    ensure_file_contents("editors/vscode/syntaxes/sass.tmLanguage.json", &text(&sass)?, mode)
}

fn text(grammar: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(grammar)? + "\n")
}
