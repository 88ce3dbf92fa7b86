//! The TextMate grammars of the VS Code extension: the word lists come from the instruction data, the shape is here.
//!
//! They colour a file before the server has answered, and where there is no server. They know words, not structure: what
//! depends on a declaration (is this name a register or a variable?) is left to the server's semantic tokens.

mod ptx;
mod rules;
mod sass;
mod wave;

use anyhow::Result;
use serde_json::Value;

use super::isa::{ptx_data, sass_data, wave_data};
use super::output::{Mode, ensure_file_contents};

/// Writes the grammars, or says that they are stale.
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
