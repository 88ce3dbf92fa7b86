//! Rules for all entries. The generator checks the forms themselves.

use std::collections::HashSet;

use super::*;
use crate::{Simulation, Version};

#[test]
fn nothing_of_the_instruction_set_is_missing() {
    assert_eq!(instructions().len(), 254);
    assert_eq!(directives().len(), 45);
    assert_eq!(pragmas().len(), 5);
    assert_eq!(special_register_names().len(), 88);
    assert_eq!(versions().len(), 49);
}

#[test]
fn every_instruction_is_documented_shown_and_decided() {
    for entry in instructions() {
        let id = entry.id;
        assert!(!entry.summary.is_empty(), "{id}");
        assert!(!entry.syntax.is_empty(), "{id}");
        assert!(!entry.semantics.is_empty(), "{id}");
        assert!(!entry.section.is_empty(), "{id}");
        assert!(entry.since >= Version::new(1, 0), "{id}");
        assert!(!entry.target.is_empty(), "{id}");
        assert!(!entry.example.code.is_empty() && !entry.measured.is_empty(), "{id}");
        match entry.simulation {
            Simulation::Simulated => {}
            Simulation::Partly(why) | Simulation::NoOp(why) | Simulation::Unsupported(why) => {
                assert!(!why.is_empty(), "{id}");
            }
        }
    }
}

#[test]
fn every_example_shows_its_opcode() {
    for entry in instructions() {
        let opcode = entry.opcode.trim_end_matches('}');
        assert!(entry.example.code.contains(opcode), "{}: {}", entry.id, entry.example.code);
        for measured in entry.measured {
            assert!(!measured.code.is_empty() && measured.target.starts_with("sm_"), "{}", entry.id);
        }
    }
}

/// The opcode and modifiers of each statement, without labels and guards.
fn chains(code: &str) -> impl Iterator<Item = &str> {
    code.split([';', '{', '}', '\n']).filter_map(|statement| {
        statement.split_whitespace().find(|word| !word.starts_with('@') && !word.ends_with(':'))
    })
}

#[test]
fn every_entry_accepts_a_statement_of_its_example() {
    for entry in instructions().filter(|entry| !matches!(entry.opcode, "@" | "{}")) {
        let accepted = chains(entry.example.code).any(|chain| {
            let mut words = chain.split('.');
            words.next() == Some(entry.opcode) && words.all(|word| entry.accepts(&format!(".{word}")))
        });
        assert!(accepted, "{}: {}", entry.id, entry.example.code);
    }
}

#[test]
fn every_statement_of_an_example_is_accepted_by_some_entry() {
    for entry in instructions() {
        for chain in chains(entry.example.code) {
            let (opcode, words) = chain.split_once('.').unwrap_or((chain, ""));
            let fits = |found: &&&Instruction| {
                words.split('.').all(|word| word.is_empty() || found.accepts(&format!(".{word}")))
            };
            let entries = by_opcode(opcode);
            let fitting = entries.iter().find(fits);
            assert!(entries.is_empty() || fitting.is_some(), "{}: {chain}", entry.id);
        }
    }
}

#[test]
fn operands_say_what_may_be_written_and_their_names_differ() {
    for entry in instructions() {
        let names: HashSet<_> = entry.operands.iter().map(|operand| operand.name).collect();
        assert_eq!(names.len(), entry.operands.len(), "{}", entry.id);
        assert!(entry.operands.iter().all(|operand| !operand.kinds.is_empty()), "{}", entry.id);
    }
}

#[test]
fn every_name_is_found() {
    for entry in instructions() {
        assert!(by_opcode(entry.opcode).iter().any(|found| found.id == entry.id), "{}", entry.id);
        assert_eq!(instruction(entry.id).map(|found| found.id), Some(entry.id));
    }
    for opcode in opcodes() {
        assert!(by_opcode(opcode).iter().all(|entry| entry.opcode == *opcode), "{opcode}");
    }
    for entry in directives() {
        assert_eq!(directive(entry.name).map(|found| found.name), Some(entry.name));
    }
    for entry in pragmas() {
        assert_eq!(pragma(entry.name).map(|found| found.name), Some(entry.name));
    }
    for name in special_register_names() {
        assert!(special_register(name).is_some_and(|entry| entry.names.contains(name)), "{name}");
    }
    for entry in types() {
        assert_eq!(type_(entry.name).map(|found| found.name), Some(entry.name));
        assert!(entry.storage.is_none_or(|name| type_(name).is_some()), "{}", entry.name);
    }
    for entry in state_spaces() {
        assert_eq!(state_space(entry.name).map(|found| found.name), Some(entry.name));
        for part in entry.parts {
            assert_eq!(state_space(part.name).map(|found| found.name), Some(entry.name));
        }
    }
    for entry in targets() {
        assert_eq!(target(entry.name).map(|found| found.name), Some(entry.name));
        let compute = entry.name.replace("sm_", "compute_");
        assert_eq!(target(&compute).map(|found| found.name), Some(entry.name));
        assert!(versions().iter().any(|release| release.version == entry.since), "{}", entry.name);
    }
}

#[test]
fn no_other_name_is_found() {
    for name in ["", "ad", "addd", "ADD", "%tid", ".add"] {
        assert!(by_opcode(name).is_empty(), "{name}");
    }
    assert!(directive("version").is_none() && directive(".versions").is_none());
    assert!(special_register("%tid.x").is_none() && special_register("tid").is_none());
    assert!(type_("u32").is_none() && state_space(".sharedx").is_none());
    assert!(modifier(".u33").is_empty() && target("sm_99").is_none());
}

#[test]
fn every_modifier_is_accepted_and_explained() {
    for entry in instructions() {
        for class in entry.modifiers {
            assert!(!class.values.is_empty() && !class.summary.is_empty(), "{}", entry.id);
            for value in class.values {
                assert!(
                    modifier(value.name).iter().any(|meaning| meaning == value),
                    "{}: {}",
                    entry.id,
                    value.name
                );
                for word in value.name.split('.').skip(1) {
                    assert!(entry.accepts(&format!(".{word}")), "{}: {word}", entry.id);
                }
            }
        }
        assert!(entry.words.iter().all(|word| entry.accepts(word)), "{}", entry.id);
    }
}

#[test]
fn a_mnemonic_with_several_entries_has_them_all_under_its_opcode() {
    let ids: Vec<_> = by_opcode("add").iter().map(|entry| entry.id).collect();
    assert_eq!(ids, ["add@int", "add.cc", "add@fp", "add@half", "add@mixed", "add@alt"]);
    assert!(by_opcode("add")[0].accepts(".u8x4"));
    assert!(!by_opcode("add")[0].accepts(".f32"));
}

#[test]
fn a_modifier_means_what_its_class_says() {
    let meaning = |id: &str, name: &str| {
        let (class, modifier) = instruction(id).unwrap().modifier(name).unwrap();
        (class.name, modifier.summary)
    };
    assert_eq!(meaning("setp", ".lo"), ("CmpOp", "Unsigned less (lower)."));
    assert_eq!(meaning("mul@int", ".lo").0, "mode");
    assert_eq!(meaning("mma", ".aligned").0, "sync");
    assert!(instruction("mma").unwrap().modifier(".u99").is_none());
    assert!(instruction("mma").unwrap().modifier("").is_none());
    assert_eq!(modifier(".lo").len(), 2);
}
