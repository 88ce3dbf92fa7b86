//! The input files of the commands, and their languages.

use std::io;
use std::path::Path;
use std::string::FromUtf8Error;
use std::sync::atomic::AtomicBool;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use thiserror::Error;
use warplens_host::{HOSTS, Host};
use warplens_ide::{Language, languages};
use warplens_tools::LargeItem;
use warplens_tools::listing::{self, MachineCode, Tools};

use warplens_lsp::language::LanguageError;
use warplens_system::disk::read_file::{self, FileError};

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
    #[error("not edited, because it {0}")]
    Converted(&'static str),
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

/// The text of a file as the commands see it.
pub(crate) struct InputText {
    pub(crate) text: String,
    /// If the text was converted: what the file is, and how. Such a file is never written, because edits of the text do not apply to it.
    pub(crate) made_from: Option<&'static str>,
}

impl InputText {
    /// An error if the file does not contain the text, so that it cannot be written or shown as a diff.
    pub(crate) fn check_editable(&self) -> Result<(), ReadError> {
        self.made_from.map_or(Ok(()), |form| Err(ReadError::Converted(form)))
    }
}

/// Reads a file that is named on the command line, which may be a pipe, or standard input.
pub(crate) fn read_named(path: &Path) -> Result<InputText, ReadError> {
    text(match path.as_os_str() == STANDARD_INPUT {
        true => read_file::read_stream(io::stdin().lock(), MAX_TEXT)?,
        false => read_file::read_named(path, MAX_TEXT)?,
    })
}

/// Reads a file that was found in a folder or that a launch names. It must be a regular file.
pub(crate) fn read_found(path: &Path) -> Result<InputText, ReadError> {
    text(read_file::read(path, MAX_TEXT)?)
}

/// The text of a file, or its listing if it is machine code or has a listing in another form.
fn text(bytes: Vec<u8>) -> Result<InputText, ReadError> {
    if let Some(kind) = MachineCode::of(&bytes) {
        let text = Tools::of_environment().disassemble(&bytes, kind, &AtomicBool::new(false))?;
        return Ok(InputText { text, made_from: Some("is machine code, which was converted to a listing") });
    }
    let text = match String::from_utf8(bytes) {
        // As in an editor, the mark is not part of the text.
        Ok(text) => text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
        Err(error) => return latin_1(&error),
    };
    Ok(match listing::of_text(&text) {
        Some(text) => InputText {
            text,
            made_from: Some("is the JSON or graph of a disassembler, which was converted to a listing"),
        },
        None => InputText { text, made_from: None },
    })
}

/// Reads each byte as a character, because `ptxas` accepts any byte above 127 in a comment. A file with a zero byte is no text.
fn latin_1(error: &FromUtf8Error) -> Result<InputText, ReadError> {
    let (bytes, offset) = (error.as_bytes(), error.utf8_error().valid_up_to());
    if bytes.contains(&0) {
        return Err(ReadError::NotUtf8 { offset, byte: bytes[offset] });
    }
    let text = bytes.iter().map(|byte| char::from(*byte)).collect();
    Ok(InputText { text, made_from: Some("is not UTF-8 and was read as Latin-1") })
}

/// The host language of a file with inline PTX, by its extension.
pub(crate) fn host_of(path: &Path) -> Option<&'static Host> {
    warplens_host::by_extension(path.extension()?.to_str()?)
}

/// What a file is checked as.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Checkable {
    Assembly(Language),
    /// Its inline PTX is.
    Host(&'static Host),
}

/// Parses `--language` of commands that take files with inline PTX.
pub(crate) fn checkable_parser() -> impl TypedValueParser<Value = Checkable> {
    PossibleValuesParser::new(assembly_ids().chain(host_ids())).try_map(|id| {
        match warplens_host::by_id(&id) {
            Some(host) => Ok(Checkable::Host(host)),
            None => named(&id).map(Checkable::Assembly),
        }
    })
}

/// Parses `--language` of commands that take only files with inline PTX.
pub(crate) fn host_parser() -> impl TypedValueParser<Value = &'static Host> {
    PossibleValuesParser::new(host_ids())
        .try_map(|id| warplens_host::by_id(&id).ok_or("it has no inline PTX"))
}

fn host_ids() -> impl Iterator<Item = PossibleValue> {
    HOSTS.iter().map(|host| PossibleValue::new(host.id).help("its inline PTX"))
}

fn assembly_ids() -> impl Iterator<Item = PossibleValue> {
    languages().map(|language| {
        PossibleValue::new(language.id).help(language.title).aliases(language.shared_ids.iter().copied())
    })
}

fn named(id: &str) -> Result<Language, LanguageError> {
    let is_named = |language: &Language| language.id == id || language.shared_ids.contains(&id);
    languages().find(is_named).ok_or(LanguageError::Undetermined)
}

/// Parses `--language`.
pub(crate) fn language_parser() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(assembly_ids()).try_map(|id| named(&id))
}
