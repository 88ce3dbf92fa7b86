//! The documentation of a name, as markdown, for hovers and `warplens explain`.
//!
//! Every fact is from `isa`; this module only arranges them. The page of an entry has a title with its language and
//! category, the summary, the forms, operands, modifiers, semantics, notes, and an example.

pub(crate) mod page;

pub(crate) mod ptx;
pub(crate) mod wave;

use warplens_ide_db::languages::Known;
use warplens_ide_db::similar::nearest;
use warplens_ide_diagnostics::finding_codes::{finding_code, finding_codes};
use warplens_isa::{Role, Simulation};
use warplens_syntax::Language;

/// The documentation of an instruction (`ld`, `ld.global.f32`, `icmp.lt`, `icmp_lt`), a directive, a
/// special register, a modifier, a type, a state space or a scope. Without a language, of every language that has it, and
/// of diagnostics and findings.
#[must_use]
pub fn explain(name: &str, language: Option<Language>) -> Option<String> {
    match language.map(Known::of) {
        Some(Known::Ptx) => ptx::explain(name),
        Some(Known::Wave) => wave::explain(name),
        None => {
            let diagnostic = warplens_ide_diagnostics::codes::code(name).map(|code| code.page.to_owned());
            let finding = finding_code(name).map(|code| code.page.to_owned());
            let pages: Vec<String> = [ptx::explain(name), wave::explain(name), diagnostic, finding]
                .into_iter()
                .flatten()
                .collect();
            (!pages.is_empty()).then(|| pages.join(page::RULE))
        }
    }
}

/// The most similar name with documentation.
#[must_use]
pub fn nearest_name(name: &str, language: Option<Language>) -> Option<String> {
    let ptx = language != Some(warplens_syntax::wave::LANGUAGE);
    let wave = language != Some(warplens_syntax::ptx::LANGUAGE);
    let names =
        ptx.then(ptx::names).into_iter().flatten().chain(wave.then(wave::names).into_iter().flatten());
    let codes = warplens_ide_diagnostics::codes::codes().iter().map(|code| code.name);
    let codes = codes.chain(finding_codes().iter().map(|code| code.name)).filter(|_| language.is_none());
    nearest(name, names.chain(codes)).map(str::to_owned)
}

/// How the simulator handles an instruction, unless it is fully supported.
fn simulation(simulation: Simulation) -> String {
    match simulation {
        Simulation::Simulated => String::new(),
        Simulation::Partly(why) => format!("**Simulator.** Simulated, but {why}."),
        Simulation::NoOp(why) => format!("**Simulator.** No effect: {why}."),
        Simulation::Unsupported(why) => format!("**Simulator.** Unsupported: {why}."),
    }
}

/// How an instruction uses an operand.
fn role(role: Role) -> &'static str {
    match role {
        Role::Read => "read",
        Role::Write => "written",
        Role::Both => "read and written",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value of each class, in the instruction and by itself, and each word of it.
    #[test]
    fn every_modifier_is_explained() {
        for entry in warplens_isa::ptx::instructions() {
            for value in entry.modifiers.iter().flat_map(|class| class.values) {
                assert!(entry.modifier(value.name).is_some(), "{} of {}", value.name, entry.id);
                assert!(ptx::explain(value.name).is_some(), "{} of {}", value.name, entry.id);
            }
            for word in entry.vocabulary {
                assert!(ptx::explain(word).is_some(), "{word} of {}", entry.id);
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
                assert!(ptx::explain(&name).is_some(), "{name}");
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
    fn a_misspelt_name_has_a_nearest_one() {
        assert_eq!(nearest_name(".reqntd", None).as_deref(), Some(".reqntid"));
        assert_eq!(nearest_name("sintax-error", None).as_deref(), Some("syntax-error"));
        assert_eq!(nearest_name("endlop", None).as_deref(), Some("endloop"));
        assert_eq!(nearest_name("%lanid", None).as_deref(), Some("%laneid"));
    }

    #[test]
    fn every_entry_of_the_tables_is_explained() {
        for entry in warplens_isa::ptx::instructions() {
            assert!(ptx::explain(entry.id).is_some(), "{}", entry.id);
            assert!(ptx::explain(entry.opcode).is_some(), "{}", entry.opcode);
        }
        for directive in warplens_isa::ptx::directives() {
            assert!(ptx::explain(directive.name).is_some(), "{}", directive.name);
        }
        for name in warplens_isa::ptx::special_register_names() {
            assert!(ptx::explain(name).is_some(), "{name}");
        }
        let types = warplens_isa::ptx::types().iter().map(|ty| ty.name);
        let spaces = warplens_isa::ptx::state_spaces().iter();
        let spaces = spaces
            .flat_map(|space| std::iter::once(space.name).chain(space.parts.iter().map(|part| part.name)));
        let pragmas = warplens_isa::ptx::pragmas().iter().map(|pragma| pragma.name);
        for name in types.chain(spaces).chain(pragmas) {
            assert!(ptx::explain(name).is_some(), "{name}");
        }
        for entry in warplens_isa::wave::instructions() {
            assert!(wave::explain(entry.mnemonic).is_some(), "{}", entry.mnemonic);
            assert!(entry.toolchain.is_none_or(|name| wave::explain(name).is_some()), "{}", entry.mnemonic);
        }
    }
}
