//! The barrier between two accesses that race, where all threads come; between blocks, a fence at the atomic operation.
//!
//! A position is a guess: whether a condition differs between threads, the graph does not show.

use std::ops::Range;

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::trace::{Finding, StatementId};
use warplens_sim_warp::{AdviceKind, Correction};

use super::paths;
use crate::program::{Callee, Function, Guard, Op, Program};

const BLOCK: &str = "bar.sync 0;";
const WARP: &str = "bar.warp.sync 0xffffffff;";
const FENCE: &str = "membar.gl;";

/// How many positions are tried.
const MOST: usize = 8;

pub(super) fn corrections(program: &Program, finding: &Finding) -> Vec<Correction> {
    if matches!(finding.racing, Some(RaceScope::Cluster | RaceScope::Grid)) {
        return fences(program, finding);
    }
    // With one warp, every race is between lanes of a warp, so only a finding that is about the warp asks for its barrier first.
    let recommended = finding.advice.and_then(|advice| match advice.kind {
        AdviceKind::Synchronize(scope) => Some(scope),
        _ => None,
    });
    let barriers = match (finding.kind, recommended, finding.racing) {
        (FindingKind::WarpSynchronous, ..) | (_, Some(RaceScope::Warp), _) => &[WARP, BLOCK][..],
        (_, Some(RaceScope::Block), _) => &[BLOCK],
        (_, None, Some(RaceScope::Warp | RaceScope::Block)) => &[BLOCK, WARP],
        // With a copy that is in flight.
        (_, None, None) => &[BLOCK],
        _ => return Vec::new(),
    };
    let in_entry = |statement: StatementId| in_entry(program, statement);
    let later = finding.statement.and_then(in_entry);
    let earlier = finding.related.first().and_then(|related| in_entry(related.statement));
    let (Some(later), Some(earlier)) = (later, earlier) else { return Vec::new() };
    let entry = &program.functions[0];
    let positions = positions(entry, earlier, later);
    let at = |pc: &u32| StatementId(entry.first_statement + pc);
    let insertions = positions.iter().flat_map(|pcs| {
        let at: Vec<StatementId> = pcs.iter().map(at).collect();
        barriers
            .iter()
            .map(move |text| Correction { at: at.clone(), ..Correction::insertion(text, at[0], false) })
    });
    insertions.take(MOST).collect()
}

/// The fence before the atomic operation by which a block tells others that its data is there, the one after it by which a block that reads
/// the data learns that, or both.
fn fences(program: &Program, finding: &Finding) -> Vec<Correction> {
    let (Some(read), Some(written)) = (finding.statement, finding.related.first()) else { return Vec::new() };
    let Some((number, from)) = program.locate(written.statement) else { return Vec::new() };
    let Some((_, to)) = program.locate(read).filter(|(other, _)| *other == number) else { return Vec::new() };
    let function = &program.functions[number];
    let is_atomic = |pc: &u32| matches!(function.code[*pc as usize].op, Op::Atomic(_));
    let Some(atomic) = (from + 1..to).find(is_atomic) else { return Vec::new() };
    let at = |pc: u32| StatementId(function.first_statement + pc);
    [vec![at(atomic)], vec![at(atomic + 1)], vec![at(atomic), at(atomic + 1)]]
        .into_iter()
        .map(|at| Correction { at: at.clone(), ..Correction::insertion(FENCE, at[0], false) })
        .collect()
}

/// The statement in the entry, or the only call of its function there.
fn in_entry(program: &Program, statement: StatementId) -> Option<u32> {
    let (number, pc) = program.locate(statement)?;
    let entry = &program.functions[0];
    let calls =
        |op: Op| matches!(op, Op::Call(id, _) if entry.tables[id].callee == Callee::Direct(number as u32));
    let mut sites = (0..).zip(&entry.code).filter(|(_, instruction)| calls(instruction.op)).map(|(at, _)| at);
    match number {
        0 => Some(pc),
        _ => sites.next().filter(|_| sites.next().is_none()),
    }
}

/// The statements before which a barrier would order two accesses: in the innermost loop around both, in the loops around that one, and in
/// the whole function. In a loop, accesses of two iterations take a barrier at its end, and there may be no barrier yet.
fn positions(function: &Function, earlier: u32, later: u32) -> Vec<Vec<u32>> {
    let (first, last) = (earlier.min(later), earlier.max(later));
    let loops = loops(function);
    let innermost = |pc: u32| loops.iter().find(|one| one.contains(&pc));
    let around = loops.iter().filter(|one| one.contains(&first) && one.contains(&last)).map(Some);
    let mut found: Vec<Vec<u32>> = Vec::new();
    for region in around.chain([None]) {
        let is_join = |pc: &u32| innermost(*pc) == region && is_passed(function, region, *pc);
        let mut joins = (first + 1..=last).filter(is_join);
        let after_first = joins.next();
        let before_last = joins.next_back().or(after_first);
        let end = region.map(|region| region.end - 1);
        let both = before_last.zip(end).map(|(between, end)| vec![between, end]);
        let [after_first, before_last, end] = [after_first, before_last, end].map(|pc| pc.map(|pc| vec![pc]));
        let ordered = match earlier < later {
            true => [after_first, before_last, end, both],
            false => [end, after_first, before_last, both],
        };
        for positions in ordered.into_iter().flatten() {
            if !found.contains(&positions) {
                found.push(positions);
            }
        }
    }
    found
}

/// The ranges from the targets of backward branches to these, smallest first.
fn loops(function: &Function) -> Vec<Range<u32>> {
    let back = (0..).zip(&function.code).filter_map(|(pc, instruction)| match instruction.op {
        Op::Branch(_) if instruction.s.a <= pc => Some(instruction.s.a..pc + 1),
        _ => None,
    });
    let mut loops: Vec<Range<u32>> = back.collect();
    loops.sort_by_key(|one| one.end - one.start);
    loops
}

/// Whether all threads that start an iteration of a loop and end it, or that run the whole function, pass a statement. Threads that return
/// at once do not count: a barrier does not wait for them.
fn is_passed(function: &Function, region: Option<&Range<u32>>, pc: u32) -> bool {
    let start = region.map_or(0, |region| region.start);
    let is_end = |at: u32| match region {
        _ if at == pc => false,
        Some(region) => at + 1 == region.end,
        None => returns(function, at),
    };
    let next = |at: u32| {
        let mut next = if at == pc { Vec::new() } else { paths::successors(function, at) };
        match region {
            Some(region) => next.retain(|at| region.contains(at)),
            None if next.len() > 1 => next.retain(|at| !returns(function, *at)),
            None => {}
        }
        next
    };
    !paths::reaches(function, vec![start], &next, &is_end)
}

/// Whether all threads leave the function at a statement.
fn returns(function: &Function, pc: u32) -> bool {
    let is_sure = function.code.get(pc as usize).is_none_or(|instruction| instruction.guard == Guard::ALWAYS);
    is_sure && paths::is_end(function, pc)
}
