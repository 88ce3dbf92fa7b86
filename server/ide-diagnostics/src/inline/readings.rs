//! The problems of a statement that has conditions inside: which of them some compilation has for certain.

use text_size::TextRange;
use warplens_host::Reading;

use super::found::Found;
use crate::codes;

/// The problems of a statement and of its other readings. A problem counts if all readings with one branch of some condition have it, because
/// not every combination of branches may be possible.
pub fn in_readings(own: Vec<Found>, others: Vec<(&Reading, Vec<Found>)>) -> Vec<Found> {
    let conditions = others.iter().map(|(reading, _)| reading.branches.len()).max().unwrap_or(0);
    let none = vec![0; conditions];
    let mut all: Vec<(&[usize], Vec<Found>)> = vec![(none.as_slice(), own)];
    all.extend(others.into_iter().map(|(reading, found)| (reading.branches.as_slice(), found)));
    let mut certain: Vec<Found> = Vec::new();
    for found in all.iter().flat_map(|(_, found)| found) {
        let has = |found: &[Found], wanted: &Found| found.iter().any(|other| key(other) == key(wanted));
        if !has(&certain, found) && is_certain(conditions, &all, &|list| has(list, found), found) {
            certain.push(found.clone());
        }
    }
    certain
}

fn key(found: &Found) -> (TextRange, &'static str) {
    (found.diagnostic.range, found.diagnostic.code)
}

fn is_certain(
    conditions: usize,
    all: &[(&[usize], Vec<Found>)],
    has: &dyn Fn(&[Found]) -> bool,
    found: &Found,
) -> bool {
    // An operand may be there for one branch only.
    let needs_all = [codes::ASM_UNUSED_OPERAND, codes::ASM_REPEATED_OPERAND].contains(&found.diagnostic.code);
    let all_have = |condition: usize, branch: usize| {
        let with =
            |branches: &&(&[usize], Vec<Found>)| branches.0.get(condition).is_none_or(|it| *it == branch);
        all.iter().filter(with).all(|(_, found)| has(found))
    };
    let branches = |condition: usize| all.iter().filter_map(move |(branches, _)| branches.get(condition));
    match needs_all {
        true => all.iter().all(|(_, found)| has(found)),
        false => {
            (0..conditions).any(|condition| branches(condition).any(|branch| all_have(condition, *branch)))
        }
    }
}
