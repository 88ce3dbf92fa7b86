//! Results of a run that the language does not determine to the bit, and the branches that they decide.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use warplens_isa::Promise;
use warplens_sim_warp::{BlockEnd, LineTrace, RunResult, StatementId};

use super::prepared::Prepared;
use crate::program::Numbers;

/// The executed statements with results that are not determined, in the order of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InexactResults {
    pub found: Vec<(StatementId, Promise)>,
    /// The executed branches whose conditions depend on approximate results, as far as registers show.
    pub decided: Vec<StatementId>,
}

impl InexactResults {
    /// The approximate results, with their errors.
    pub fn approximate(&self) -> impl Iterator<Item = (StatementId, &'static str)> {
        self.found.iter().filter_map(|(at, promise)| match promise {
            Promise::Within(error) | Promise::Estimate(error) => Some((*at, *error)),
            Promise::Open(_) => None,
        })
    }

    /// The results that are left open, with the reasons.
    pub fn open(&self) -> impl Iterator<Item = (StatementId, &'static str)> {
        self.found.iter().filter_map(|(at, promise)| match promise {
            Promise::Within(_) | Promise::Estimate(_) => None,
            Promise::Open(why) => Some((*at, *why)),
        })
    }
}

impl Prepared {
    /// The results of a run that are not determined.
    pub(super) fn inexact_results(&self, result: &RunResult) -> InexactResults {
        let executed: Vec<&LineTrace> = result.summed.iter().filter(|line| line.executed != 0).collect();
        let inexact = |line: &&LineTrace| match self.statements.get(line.statement.index())?.numbers {
            Numbers::Inexact(promise) => Some((line.statement, promise)),
            Numbers::Determined => None,
        };
        let found: Vec<_> = executed.iter().filter_map(inexact).collect();
        // What is computed from an estimate may be exact.
        let approximate: FxHashSet<StatementId> = found
            .iter()
            .filter(|(_, promise)| matches!(promise, Promise::Within(_)))
            .map(|(at, _)| *at)
            .collect();
        let decided = if approximate.is_empty() { Vec::new() } else { self.decided(&executed, &approximate) };
        InexactResults { found, decided }
    }

    /// The branches among `executed`, the executed statements in order, that depend on the results of `sources` through
    /// registers. Memory is not followed.
    fn decided(&self, executed: &[&LineTrace], sources: &FxHashSet<StatementId>) -> Vec<StatementId> {
        let flow = self.program.control_flow();
        let ends: FxHashMap<StatementId, &BlockEnd> =
            flow.ends.iter().map(|end| (end.statement, end)).collect();
        let steps: Vec<_> = executed
            .iter()
            .map(|line| {
                let at = line.statement;
                (
                    at,
                    self.program.reads(at),
                    self.program.writes(at),
                    line.executed_lanes == line.active_lanes,
                )
            })
            .collect();
        // The tainted registers of lanes that branch to a statement.
        let mut arriving: FxHashMap<StatementId, FxHashSet<SmolStr>> = FxHashMap::default();
        let mut decided = BTreeSet::new();
        loop {
            let mut changed = false;
            let mut tainted: FxHashSet<SmolStr> = FxHashSet::default();
            for (at, reads, writes, all_write) in &steps {
                tainted.extend(arriving.get(at).into_iter().flatten().cloned());
                let depends = reads.iter().any(|name| tainted.contains(name));
                if depends || sources.contains(at) {
                    tainted.extend(writes.iter().cloned());
                } else if *all_write {
                    writes.iter().for_each(|name| _ = tainted.remove(name));
                }
                let Some(end) = ends.get(at) else { continue };
                if depends && end.continues {
                    decided.insert(*at);
                }
                for target in &end.targets {
                    let known = arriving.entry(*target).or_default();
                    let before = known.len();
                    known.extend(tainted.iter().cloned());
                    changed |= known.len() != before;
                }
                if !end.continues {
                    tainted.clear();
                }
            }
            if !changed {
                return decided.into_iter().collect();
            }
        }
    }
}
