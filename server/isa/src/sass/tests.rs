//! Rules for all entries.

use super::*;

#[test]
fn opcodes_are_found_by_name() {
    assert_eq!(opcodes().len(), 343);
    for entry in opcodes() {
        assert!(std::ptr::eq(opcode(entry.opcode).unwrap(), entry), "{}", entry.opcode);
        assert!(!entry.summary.is_empty(), "{}", entry.opcode);
        let (effect, proof) = (!entry.effect.is_empty(), entry.proof != Proof::None);
        assert!(
            effect || !proof || entry.proof == Proof::Assumed || !entry.earlier.is_empty(),
            "{}",
            entry.opcode
        );
    }
}

#[test]
fn launch_constants_do_not_overlap() {
    for generation in Generation::ALL {
        for target in [None, Some(61)] {
            let places = launch_constants().iter().filter_map(|constant| {
                Some((constant.offset(generation, target)?, u16::from(constant.size), constant.name))
            });
            let mut places: Vec<_> = places.filter(|(_, size, _)| *size > 0).collect();
            places.sort_unstable();
            for pair in places.windows(2) {
                assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{generation:?}: {pair:?}");
            }
        }
    }
    assert_eq!(launch_constant(Generation::Ampere, Some(86), 0x4).map(|it| it.name), Some("ntid.y"));
    assert_eq!(parameter_base(Generation::Hopper), 0x210);
}
