//! Determines the language of a file.

use std::path::Path;

use thiserror::Error;
use warplens_host::Host;
use warplens_ide::{Language, languages};

/// What is known about the language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Supported(Language),
    /// Possibly this language: other software uses the id or extension too, and the text does not tell yet.
    Ambiguous(Language),
    /// Another language, whose inline PTX is analyzed.
    Host(&'static Host),
    Unknown,
}

/// The language of a file cannot be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LanguageError {
    #[error(
        "cannot determine the language; use {}",
        list(" or ", |language| format!("--language {}", language.id))
    )]
    Undetermined,
}

/// Lists the ids of the supported languages.
pub fn supported_ids() -> String {
    list(" or ", |language| format!("`{}`", language.id))
}

fn list(separator: &str, name: fn(&Language) -> String) -> String {
    languages().map(|language| name(&language)).collect::<Vec<_>>().join(separator)
}

/// The kind of a document that a client opens with the language id `id`. If other software uses the id or extension too, the text
/// decides.
pub fn of_document(id: &str, path: &Path, text: &str) -> Kind {
    let named = by_id(id);
    let by_name = by_extension(path);
    if named != Kind::Unknown {
        return named;
    }
    if let Some(host) = warplens_host::by_id(id) {
        return Kind::Host(host);
    }
    let may_be = |language: &Language| {
        language.shared_ids.contains(&id)
            || language.shares_extensions() && by_name == Kind::Supported(language)
    };
    match languages().find(may_be) {
        Some(language) if language.sniffs(text) => Kind::Supported(language),
        Some(language) => Kind::Ambiguous(language),
        None if by_name == Kind::Unknown => match host_by_extension(path) {
            Some(host) => Kind::Host(host),
            None => by_text(text),
        },
        None => by_name,
    }
}

fn host_by_extension(path: &Path) -> Option<&'static Host> {
    warplens_host::by_extension(path.extension()?.to_str()?)
}

/// The language of a file by its extension, or if that does not determine it, by its text.
pub fn of_file(path: &Path, text: &str) -> Result<Language, LanguageError> {
    let by_name = by_extension(path);
    match if by_name == Kind::Unknown { by_text(text) } else { by_name } {
        Kind::Supported(language) => Ok(language),
        Kind::Ambiguous(_) | Kind::Host(_) | Kind::Unknown => Err(LanguageError::Undetermined),
    }
}

/// The language of a file found in a folder: by its extension, which the text must confirm if other software uses it too.
pub fn of_found_file<T: AsRef<str>>(path: &Path, read: impl FnOnce() -> Option<T>) -> Option<Language> {
    let Kind::Supported(language) = by_extension(path) else { return None };
    let is_shown = || read().is_some_and(|text| by_text(text.as_ref()) == Kind::Supported(language));
    (!language.shares_extensions() || is_shown()).then_some(language)
}

pub fn by_id(id: &str) -> Kind {
    of_name(|language| language.id == id)
}

pub fn by_extension(path: &Path) -> Kind {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    of_name(|language| language.extensions.contains(&extension.as_str()))
}

fn of_name(is_named: impl Fn(&Language) -> bool) -> Kind {
    languages().find(is_named).map_or(Kind::Unknown, Kind::Supported)
}

/// The kind by the first line that can only be of one language.
fn by_text(text: &str) -> Kind {
    let shown = |line| languages().find(|language| (language.sniff)(line));
    text.lines().find_map(shown).map_or(Kind::Unknown, Kind::Supported)
}

#[cfg(test)]
pub fn supported(id: &str) -> Language {
    languages().find(|language| language.id == id).expect("a supported language")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_its_language() {
        assert_eq!(by_text("// x\n  .version 8.5\n.target sm_90"), by_id("ptx"));
        assert_eq!(by_text("; x\n.kernel k\n"), by_id("wave-asm"));
        assert_eq!(by_text("\tcode for sm_80\n\t\tFunction : k\n"), by_id("cuda-sass"));
        assert_eq!(by_text("RIFF....WAVEfmt"), Kind::Unknown);
        assert_eq!(by_text(".kernels"), Kind::Unknown);
    }

    #[test]
    fn a_wave_document_needs_a_kernel_or_the_language_id() {
        let kind = |id: &str, path: &str, text: &str| of_document(id, Path::new(path), text);
        let wave = by_id("wave-asm");
        let kernel = "; about\n  .kernel k\n.end\n";
        let foreign = "fun main() {\n    println(\".kernel\");\n}\n";
        for id in ["", "plaintext", "wave"] {
            assert_eq!(kind(id, "a.wave", kernel), wave, "{id}");
            assert_eq!(kind(id, "a.WAVE", foreign), Kind::Ambiguous(supported("wave-asm")), "{id}");
            assert_eq!(kind(id, "a.wave", ""), Kind::Ambiguous(supported("wave-asm")), "{id}");
        }
        assert_eq!(kind("wave", "a.txt", foreign), Kind::Ambiguous(supported("wave-asm")));
        assert_eq!(kind("wave-asm", "a.wave", foreign), wave);
        assert_eq!(kind("ptx", "a.wave", kernel), by_id("ptx"));
        assert_eq!(kind("plaintext", "a.txt", kernel), wave);
        assert_eq!(kind("plaintext", "a.ptx", ""), by_id("ptx"));
        assert_eq!(kind("plaintext", "a.txt", ""), Kind::Unknown);
    }

    #[test]
    fn a_style_sheet_is_no_machine_code() {
        let kind = |id: &str, text: &str| of_document(id, Path::new("a.sass"), text);
        let sheet = "$primary: #0B5CAD\n=rounded($r)\n  border-radius: $r\n.A\n  color: RED;\n";
        for id in ["", "plaintext", "sass"] {
            assert_eq!(kind(id, sheet), Kind::Ambiguous(supported("cuda-sass")), "{id}");
            assert_eq!(kind(id, "// a part\n@!P0 IADD3 R1, R2, RZ, R3 ;\n"), by_id("cuda-sass"), "{id}");
            assert_eq!(kind(id, "\n\tcode for sm_80\n"), by_id("cuda-sass"), "{id}");
        }
        assert_eq!(kind("cuda-sass", ""), by_id("cuda-sass"));
    }

    #[test]
    fn extensions_are_case_insensitive() {
        assert_eq!(by_extension(Path::new("a/b.PTX")), by_id("ptx"));
        assert_eq!(by_extension(Path::new("a.sass")), by_id("cuda-sass"));
        assert_eq!(by_extension(Path::new("ptx")), Kind::Unknown);
    }
}
