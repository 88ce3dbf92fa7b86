//! Which language a file is in.

use std::path::Path;

use warplens_ide::{Language, languages};

/// What is known of a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One that Warplens reads.
    Read(Language),
    /// A machine-code listing, which later versions read.
    Listing,
    /// A name that other languages have too, and a text that does not show that it is ours; not yet, at least.
    Shared(Language),
    /// Something else.
    Unknown,
}

/// What is said of a machine-code listing.
pub(crate) const LISTINGS_LATER: &str =
    "machine-code listings (.sass) come in a later version; this one reads PTX (.ptx) and WAVE (.wave)";

/// The ids of the languages, as users write them: `ptx` or `wave-asm`.
pub(crate) fn read_ids() -> String {
    languages().map(|language| format!("`{}`", language.id)).collect::<Vec<_>>().join(" or ")
}

/// The kind of a document that a client opens under the language id `id`. A document whose id or extension other software uses
/// too is in the language if its text shows it.
pub(crate) fn of_document(id: &str, path: &Path, text: &str) -> Kind {
    let named = by_id(id);
    let by_name = by_extension(path);
    if named != Kind::Unknown {
        return named;
    }
    let may_be = |language: &Language| {
        language.shared_ids.contains(&id) || language.shares_extensions() && by_name == Kind::Read(*language)
    };
    match languages().find(may_be) {
        Some(language) if language.sniffs(text) => Kind::Read(language),
        Some(language) => Kind::Shared(language),
        None if by_name == Kind::Unknown => by_text(text),
        None => by_name,
    }
}

/// The kind that a language id or `--language` names.
pub(crate) fn by_id(id: &str) -> Kind {
    read_or_listing(id, |language| language.id == id)
}

/// The kind that a file's extension says.
pub(crate) fn by_extension(path: &Path) -> Kind {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    read_or_listing(&extension, |language| language.extensions.contains(&extension.as_str()))
}

fn read_or_listing(name: &str, is_named: impl Fn(&Language) -> bool) -> Kind {
    match languages().find(is_named) {
        Some(language) => Kind::Read(language),
        None if name == "sass" => Kind::Listing,
        None => Kind::Unknown,
    }
}

/// The kind that a text shows, by its first line that only one language has.
pub(crate) fn by_text(text: &str) -> Kind {
    let shown = |line| languages().find(|language| (language.sniff)(line));
    text.lines().find_map(shown).map_or(Kind::Unknown, Kind::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_its_language() {
        assert_eq!(by_text("// x\n  .version 8.5\n.target sm_90"), Kind::Read(warplens_ide::PTX));
        assert_eq!(by_text("; x\n.kernel k\n"), Kind::Read(warplens_ide::WAVE));
        assert_eq!(by_text("RIFF....WAVEfmt"), Kind::Unknown);
        assert_eq!(by_text(".kernels"), Kind::Unknown);
    }

    #[test]
    fn a_wave_document_is_ours_if_it_has_a_kernel_or_its_user_says_so() {
        let kind = |id: &str, path: &str, text: &str| of_document(id, Path::new(path), text);
        let ours = Kind::Read(warplens_ide::WAVE);
        let kernel = "; about\n  .kernel k\n.end\n";
        let foreign = "fun main() {\n    println(\".kernel\");\n}\n";
        for id in ["", "plaintext", "wave"] {
            assert_eq!(kind(id, "a.wave", kernel), ours, "{id}");
            assert_eq!(kind(id, "a.WAVE", foreign), Kind::Shared(warplens_ide::WAVE), "{id}");
            assert_eq!(kind(id, "a.wave", ""), Kind::Shared(warplens_ide::WAVE), "{id}");
        }
        assert_eq!(kind("wave", "a.txt", foreign), Kind::Shared(warplens_ide::WAVE));
        assert_eq!(kind("wave-asm", "a.wave", foreign), ours);
        assert_eq!(kind("ptx", "a.wave", kernel), Kind::Read(warplens_ide::PTX));
        assert_eq!(kind("plaintext", "a.txt", kernel), ours);
        assert_eq!(kind("plaintext", "a.ptx", ""), Kind::Read(warplens_ide::PTX));
        assert_eq!(kind("plaintext", "a.txt", ""), Kind::Unknown);
    }

    #[test]
    fn an_extension_says_it_in_any_case() {
        assert_eq!(by_extension(Path::new("a/b.PTX")), Kind::Read(warplens_ide::PTX));
        assert_eq!(by_extension(Path::new("a.sass")), Kind::Listing);
        assert_eq!(by_extension(Path::new("ptx")), Kind::Unknown);
    }
}
