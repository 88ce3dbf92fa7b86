//! The input files of the commands, and their languages.

use std::io::{self, Read};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use thiserror::Error;
use warplens_ide::{Language, languages};

use crate::language::{LanguageError, RECOGNIZED};

/// The path of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// A file cannot be read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("cannot be listed: {0}")]
    Folder(io::Error),
    #[error("has {0} bytes; the limit is 4 GB")]
    TooLarge(usize),
    #[error("is not UTF-8: invalid byte 0x{byte:02x} at offset {offset}")]
    NotUtf8 { offset: usize, byte: u8 },
}

/// The text of a file, or of standard input.
pub(crate) fn read(path: &Path) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.read_to_end(&mut bytes)?;
    }
    if u32::try_from(bytes.len()).is_err() {
        return Err(ReadError::TooLarge(bytes.len()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        ReadError::NotUtf8 { offset, byte: error.as_bytes()[offset] }
    })
}

/// Parses `--language`.
pub(crate) fn language_parser() -> impl TypedValueParser<Value = Language> {
    let supported = languages().map(|language| {
        PossibleValue::new(language.id).help(language.title).aliases(language.shared_ids.iter().copied())
    });
    let recognized = RECOGNIZED.iter().map(|language| PossibleValue::new(language.id).help(language.help));
    PossibleValuesParser::new(supported.chain(recognized)).try_map(|id| {
        let is_named = |language: &Language| language.id == id || language.shared_ids.contains(&id.as_str());
        let recognized = || RECOGNIZED.iter().find(|language| language.id == id);
        languages().find(is_named).ok_or_else(|| match recognized() {
            Some(language) => LanguageError::Unsupported(language),
            None => LanguageError::Undetermined,
        })
    })
}
