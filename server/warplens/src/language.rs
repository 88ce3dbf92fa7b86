//! Which language a file is in.

use std::path::Path;

use warplens_ide::Language;

/// What is known of a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One that Warplens reads.
    Read(Language),
    /// A machine-code listing, which later versions read.
    Listing,
    /// Something else.
    Unknown,
}

/// What is said of a machine-code listing.
pub(crate) const LISTINGS_LATER: &str =
    "machine-code listings (.sass) come in a later version; this one reads PTX (.ptx) and WAVE (.wave)";

/// The names of the languages that are read, as users write them.
pub(crate) const READ: &str = "`ptx` or `wave-asm`";

/// The kind that a language id or `--language` names.
pub(crate) fn by_id(id: &str) -> Kind {
    match id {
        "ptx" => Kind::Read(Language::Ptx),
        "wave-asm" | "wave" => Kind::Read(Language::Wave),
        "sass" => Kind::Listing,
        _ => Kind::Unknown,
    }
}

/// The kind that a file's extension says.
pub(crate) fn by_extension(path: &Path) -> Kind {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("ptx") => Kind::Read(Language::Ptx),
        Some(extension) if extension.eq_ignore_ascii_case("wave") => Kind::Read(Language::Wave),
        Some(extension) if extension.eq_ignore_ascii_case("sass") => Kind::Listing,
        _ => Kind::Unknown,
    }
}

/// The kind that a text shows: PTX has a `.version` line, WAVE a `.kernel` line.
pub(crate) fn by_text(text: &str) -> Kind {
    let mut first_words = text.lines().filter_map(|line| line.split_whitespace().next());
    let shown = first_words.find_map(|word| match word {
        ".version" => Some(Kind::Read(Language::Ptx)),
        ".kernel" => Some(Kind::Read(Language::Wave)),
        _ => None,
    });
    shown.unwrap_or(Kind::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_its_language() {
        assert_eq!(by_text("// x\n  .version 8.5\n.target sm_90"), Kind::Read(Language::Ptx));
        assert_eq!(by_text("; x\n.kernel k\n"), Kind::Read(Language::Wave));
        assert_eq!(by_text("RIFF....WAVEfmt"), Kind::Unknown);
        assert_eq!(by_text(".kernels"), Kind::Unknown);
    }

    #[test]
    fn an_extension_says_it_in_any_case() {
        assert_eq!(by_extension(Path::new("a/b.PTX")), Kind::Read(Language::Ptx));
        assert_eq!(by_extension(Path::new("a.sass")), Kind::Listing);
        assert_eq!(by_extension(Path::new("ptx")), Kind::Unknown);
    }
}
