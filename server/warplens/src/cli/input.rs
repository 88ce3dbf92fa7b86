//! The input files of the commands, and their languages.

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use thiserror::Error;
use warplens_ide::{Language, languages};
use warplens_tools::LargeItem;
use warplens_tools::listing::{self, MachineCode, Tools};

use crate::language::LanguageError;
use crate::read_file::{self, FileError};

pub(crate) const STANDARD_INPUT: &str = "-";

/// The limit of a text in bytes. Memory use is at most ten times this.
const MAX_TEXT: u64 = 256 << 20;

/// A file cannot be read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("cannot be listed: {0}")]
    Folder(io::Error),
    #[error("cannot be read: not a regular file")]
    NotRegular,
    #[error("has more than {} MB, the limit of a file", MAX_TEXT >> 20)]
    TooLarge,
    #[error(transparent)]
    LargeItem(#[from] LargeItem),
    #[error("{0}")]
    MachineCode(#[from] anyhow::Error),
    #[error("is not UTF-8: invalid byte 0x{byte:02x} at offset {offset}")]
    NotUtf8 { offset: usize, byte: u8 },
}

impl From<FileError> for ReadError {
    fn from(error: FileError) -> ReadError {
        match error {
            FileError::Io(error) => ReadError::Io(error),
            FileError::NotRegular => ReadError::NotRegular,
            FileError::TooLarge(_) => ReadError::TooLarge,
        }
    }
}

/// Reads a file that is named on the command line, which may be a pipe, or standard input.
pub(crate) fn read_named(path: &Path) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let limit = MAX_TEXT + 1;
    if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        let file = std::fs::File::open(path)?;
        if file.metadata()?.len() > MAX_TEXT {
            return Err(ReadError::TooLarge);
        }
        file.take(limit).read_to_end(&mut bytes)?;
    }
    text(bytes)
}

/// Reads a file that was found in a folder. It must be a regular file.
pub(crate) fn read_found(path: &Path) -> Result<String, ReadError> {
    text(read_file::read(path, MAX_TEXT)?)
}

/// The text of a file, or its listing if it is machine code or has a listing in another form.
fn text(bytes: Vec<u8>) -> Result<String, ReadError> {
    if bytes.len() as u64 > MAX_TEXT {
        return Err(ReadError::TooLarge);
    }
    if let Some(kind) = MachineCode::of(&bytes) {
        return Ok(Tools::of_environment().disassemble(&bytes, kind, &AtomicBool::new(false))?);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        ReadError::NotUtf8 { offset, byte: error.as_bytes()[offset] }
    })?;
    Ok(listing::of_text(&text).unwrap_or(text))
}

/// Parses `--language`.
pub(crate) fn language_parser() -> impl TypedValueParser<Value = Language> {
    let supported = languages().map(|language| {
        PossibleValue::new(language.id).help(language.title).aliases(language.shared_ids.iter().copied())
    });
    PossibleValuesParser::new(supported).try_map(|id| {
        let is_named = |language: &Language| language.id == id || language.shared_ids.contains(&id.as_str());
        languages().find(is_named).ok_or(LanguageError::Undetermined)
    })
}
