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
    /// A name that other languages have too, and a text that does not show that it is ours; not yet, at least.
    Shared,
    /// Something else.
    Unknown,
}

/// What is said of a machine-code listing.
pub(crate) const LISTINGS_LATER: &str =
    "machine-code listings (.sass) come in a later version; this one reads PTX (.ptx) and WAVE (.wave)";

/// The names of the languages that are read, as users write them.
pub(crate) const READ: &str = "`ptx` or `wave-asm`";

/// The id that other languages use for their `.wave` files.
const SHARED_ID: &str = "wave";

/// The kind of a document, of which a client says that its language is `id`. That is its user's word; a `.wave` file of which
/// nobody says so is ours if it has a kernel.
pub(crate) fn of_document(id: &str, path: &Path, text: &str) -> Kind {
    let named = by_id(id);
    let by_name = by_extension(path);
    match named {
        Kind::Unknown if id == SHARED_ID || by_name == Kind::Read(Language::Wave) => {
            if shows_kernel(text) {
                Kind::Read(Language::Wave)
            } else {
                Kind::Shared
            }
        }
        Kind::Unknown if by_name == Kind::Unknown => by_text(text),
        Kind::Unknown => by_name,
        _ => named,
    }
}

/// Whether a text has a line that opens a kernel.
pub(crate) fn shows_kernel(text: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().next() == Some(".kernel"))
}

/// The kind that a language id or `--language` names.
pub(crate) fn by_id(id: &str) -> Kind {
    match id {
        "ptx" => Kind::Read(Language::Ptx),
        "wave-asm" => Kind::Read(Language::Wave),
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
    fn a_wave_document_is_ours_if_it_has_a_kernel_or_its_user_says_so() {
        let kind = |id: &str, path: &str, text: &str| of_document(id, Path::new(path), text);
        let ours = Kind::Read(Language::Wave);
        let kernel = "; about\n  .kernel k\n.end\n";
        let foreign = "fun main() {\n    println(\".kernel\");\n}\n";
        for id in ["", "plaintext", "wave"] {
            assert_eq!(kind(id, "a.wave", kernel), ours, "{id}");
            assert_eq!(kind(id, "a.WAVE", foreign), Kind::Shared, "{id}");
            assert_eq!(kind(id, "a.wave", ""), Kind::Shared, "{id}");
        }
        assert_eq!(kind("wave", "a.txt", foreign), Kind::Shared);
        assert_eq!(kind("wave-asm", "a.wave", foreign), ours);
        assert_eq!(kind("ptx", "a.wave", kernel), Kind::Read(Language::Ptx));
        assert_eq!(kind("plaintext", "a.txt", kernel), ours);
        assert_eq!(kind("plaintext", "a.ptx", ""), Kind::Read(Language::Ptx));
        assert_eq!(kind("plaintext", "a.txt", ""), Kind::Unknown);
    }

    #[test]
    fn an_extension_says_it_in_any_case() {
        assert_eq!(by_extension(Path::new("a/b.PTX")), Kind::Read(Language::Ptx));
        assert_eq!(by_extension(Path::new("a.sass")), Kind::Listing);
        assert_eq!(by_extension(Path::new("ptx")), Kind::Unknown);
    }
}
