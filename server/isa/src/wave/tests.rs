//! Rules for all entries.

use super::*;
use crate::{List, Role, Simulation};

#[test]
fn nothing_of_the_instruction_set_is_missing() {
    let with = |wanted| instructions().filter(|entry| entry.available == wanted).count();
    assert_eq!(with(Availability::Crates), 151);
    assert_eq!(with(Availability::Repository), 13);
    assert_eq!(with(Availability::Nowhere), 16);
    assert_eq!(directives().len(), 5);
    assert_eq!(special_registers().len(), 20);
    assert_eq!(scopes().len(), 4);
    assert_eq!(cache_hints().len(), 3);
}

#[test]
fn every_instruction_is_documented_shown_and_decided() {
    for entry in instructions() {
        let name = entry.mnemonic;
        assert!(!entry.summary.is_empty() && !entry.section.is_empty(), "{name}");
        assert!(entry.example.contains(name), "{name}");
        assert!(entry.toolchain_example.contains(entry.toolchain.unwrap_or_default()), "{name}");
        match entry.simulation {
            Simulation::Simulated => {}
            Simulation::Partly(why) | Simulation::NoOp(why) | Simulation::Unsupported(why) => {
                assert!(!why.is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn the_mnemonics_of_both_dialects_are_found() {
    for entry in instructions() {
        for name in [Some(entry.mnemonic), entry.toolchain].into_iter().flatten() {
            assert_eq!(instruction(name).map(|found| found.mnemonic), Some(entry.mnemonic));
        }
    }
    assert_eq!(instruction("icmp_lt").map(|entry| entry.mnemonic), Some("icmp.lt"));
    assert_eq!(instruction("ucmp.eq").map(|entry| entry.toolchain), Some(None));
    assert!(instruction("ucmp_eq").is_none());
    assert!(instruction("ICMP.LT").is_none());
}

#[test]
fn only_the_guides_stores_take_the_value_first() {
    let store = instruction("device_store_u32").unwrap();
    let names = |operands: List<Operand>| operands.iter().map(|it| it.name).collect::<Vec<_>>();
    assert_eq!(names(store.operands_of("device_store.u32")), ["rs2", "addr"]);
    assert_eq!(names(store.operands_of("device_store_u32")), ["addr", "rs2"]);
}

#[test]
fn the_guide_takes_numbers_as_sources_and_logic_on_predicates() {
    let add = instruction("iadd").unwrap();
    assert_eq!(add.operands[0].kinds, [OperandKind::General]);
    assert_eq!(add.operands[2].kinds, [OperandKind::General, OperandKind::Immediate]);
    let and = instruction("and").unwrap();
    assert_eq!(and.predicate_operands[0].role, Role::Write);
    assert!(and.predicate_operands[1].kinds.contains(&OperandKind::Predicate));
}

#[test]
fn every_other_word_is_found() {
    for entry in directives() {
        assert_eq!(directive(entry.name).map(|found| found.name), Some(entry.name));
    }
    for entry in special_registers() {
        assert_eq!(special_register(entry.name).map(|found| found.index), Some(entry.index));
        assert!(entry.example.contains(entry.name));
    }
    for entry in scopes() {
        let dotted = format!(".{}", entry.name);
        assert_eq!(scope(entry.name).map(|found| found.name), Some(entry.name));
        assert_eq!(scope(&dotted).map(|found| found.name), Some(entry.name));
    }
    for entry in cache_hints() {
        assert_eq!(cache_hint(entry.name).map(|found| found.name), Some(entry.name));
    }
    for entry in invalid_names() {
        assert_eq!(invalid_name(entry.name).map(|found| found.write), Some(entry.write));
    }
    assert!(directive(".kernels").is_none() && scope("cluster").is_none());
}

#[test]
fn what_to_write_instead_exists_and_the_word_itself_does_not() {
    for entry in invalid_names() {
        assert!(instruction(entry.name).is_none(), "{}", entry.name);
        let exists = instruction(entry.write).is_some() || directive(entry.write).is_some();
        assert!(entry.write.is_empty() || exists, "{}", entry.write);
    }
}
