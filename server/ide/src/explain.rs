//! The documentation of a name, as Markdown, for hovers and `warplens explain`.
//!
//! Every fact comes from `isa`; this module only arranges them. The page of an entry has a title with its language
//! and category, the summary, the forms, operands, modifiers, semantics, notes, and an example.

pub(crate) mod page;

use warplens_ide_db::nearest;
use warplens_ide_diagnostics::codes::{code, codes};
use warplens_sim_warp::FindingKind;
use warplens_syntax::Language;

use crate::language::LanguageSupport;
use crate::languages::LANGUAGES;

/// The languages that a request concerns: one, or all.
fn of(language: Option<Language>) -> impl Iterator<Item = &'static LanguageSupport> {
    LANGUAGES.iter().filter(move |known| language.is_none_or(|language| known.info == language))
}

/// The documentation of an instruction (`ld`, `ld.global.f32`, `icmp.lt`, `icmp_lt`), a directive, or another
/// word of a language. Without a language, also of a diagnostic or finding.
pub fn explain(name: &str, language: Option<Language>) -> Option<String> {
    let mut pages: Vec<String> = of(language).filter_map(|known| (known.explain)(name)).collect();
    if language.is_none() {
        pages.extend(code(name).map(|code| code.page.to_owned()));
        pages.extend(FindingKind::named(name).map(|kind| kind.page().to_owned()));
    }
    (!pages.is_empty()).then(|| pages.join(page::RULE))
}

/// The fields of a descriptor with these bits, and their meanings. `kind` names the kind of descriptor, in case the bits do
/// not determine it.
pub fn explain_descriptor(bits: u64, kind: Option<&str>, language: Option<Language>) -> Option<String> {
    of(language).find_map(|known| (known.explain_descriptor)(bits, kind))
}

/// The names with documentation, sorted and without duplicates. Without a language, these are the names of all
/// languages, diagnostics and findings.
pub fn explained_names(language: Option<Language>) -> Vec<&'static str> {
    let mut names: Vec<_> = of(language).flat_map(|known| (known.explained_names)()).collect();
    if language.is_none() {
        names.extend(codes().iter().map(|code| code.name));
        names.extend(FindingKind::all().map(FindingKind::name));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The most similar name with documentation.
pub fn nearest_name(name: &str, language: Option<Language>) -> Option<String> {
    let names = of(language).flat_map(|known| (known.explained_names)());
    let codes = codes().iter().map(|code| code.name);
    let codes = codes.chain(FindingKind::all().map(FindingKind::name)).filter(|_| language.is_none());
    nearest(name, names.chain(codes)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_ptx(name: &str) -> Option<String> {
        explain(name, Some(warplens_syntax::ptx::LANGUAGE))
    }

    fn of_wave(name: &str) -> Option<String> {
        explain(name, Some(warplens_syntax::wave::LANGUAGE))
    }

    /// Each value of each class, within the instruction and alone, and each word of the value.
    #[test]
    fn every_modifier_is_explained() {
        for entry in warplens_isa::ptx::instructions() {
            for value in entry.modifiers.iter().flat_map(|class| class.values) {
                assert!(entry.modifier(value.name).is_some(), "{} of {}", value.name, entry.id);
                assert!(of_ptx(value.name).is_some(), "{} of {}", value.name, entry.id);
            }
            for word in entry.vocabulary {
                assert!(of_ptx(word).is_some(), "{word} of {}", entry.id);
            }
        }
    }

    /// A form with the first value in every slot is explained as a form.
    #[test]
    fn every_form_is_explained() {
        for entry in warplens_isa::ptx::instructions() {
            for form in entry.forms {
                let words =
                    form.slots.iter().filter(|slot| !slot.optional).map(|slot| slot.values[0].words.concat());
                let name = format!("{}{}", entry.name, words.collect::<String>());
                assert!(of_ptx(&name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn a_name_of_both_languages_gives_both() {
        let both = explain("bfe", None).unwrap();
        assert!(both.contains("PTX"), "{both}");
        assert!(both.contains("WAVE"), "{both}");
        assert!(!explain("bfe", Some(warplens_syntax::ptx::LANGUAGE)).unwrap().contains("WAVE"));
        assert_eq!(explain("frobnicate", None), None);
    }

    #[test]
    fn a_diagnostic_has_its_page() {
        assert!(explain("syntax-error", None).unwrap().starts_with("# syntax-error"));
        let renamed = [
            ("crossed-structure", "improper-nesting"),
            ("swallowed-word", "missing-newline"),
            ("idle-cache-hint", "unused-cache-hint"),
        ];
        for (former, present) in renamed {
            assert!(explain(former, None).unwrap().starts_with(&format!("# {present}\n")), "{former}");
        }
    }

    #[test]
    fn a_misspelled_name_has_a_nearest_one() {
        assert_eq!(nearest_name(".reqntd", None).as_deref(), Some(".reqntid"));
        assert_eq!(nearest_name("sintax-error", None).as_deref(), Some("syntax-error"));
        assert_eq!(nearest_name("endlop", None).as_deref(), Some("endloop"));
        assert_eq!(nearest_name("%lanid", None).as_deref(), Some("%laneid"));
    }

    #[test]
    fn every_entry_of_the_tables_is_explained() {
        for entry in warplens_isa::ptx::instructions() {
            assert!(of_ptx(entry.id).is_some(), "{}", entry.id);
            assert!(of_ptx(entry.opcode).is_some(), "{}", entry.opcode);
        }
        for directive in warplens_isa::ptx::directives() {
            assert!(of_ptx(directive.name).is_some(), "{}", directive.name);
        }
        for name in warplens_isa::ptx::special_register_names() {
            assert!(of_ptx(name).is_some(), "{name}");
        }
        let types = warplens_isa::ptx::types().iter().map(|ty| ty.name);
        let spaces = warplens_isa::ptx::state_spaces().iter();
        let spaces = spaces
            .flat_map(|space| std::iter::once(space.name).chain(space.parts.iter().map(|part| part.name)));
        let pragmas = warplens_isa::ptx::pragmas().iter().map(|pragma| pragma.name);
        for name in types.chain(spaces).chain(pragmas) {
            assert!(of_ptx(name).is_some(), "{name}");
        }
        for entry in warplens_isa::wave::instructions() {
            assert!(of_wave(entry.mnemonic).is_some(), "{}", entry.mnemonic);
            assert!(entry.toolchain.is_none_or(|name| of_wave(name).is_some()), "{}", entry.mnemonic);
        }
    }
}
