//! Results of a run that PTX does not determine to the bit, and the branches that they decide.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use warplens_isa::ptx::{Inexact, Promise};
use warplens_sim_warp::{RunResult, StatementId};

use super::prepared::Prepared;
use crate::program::Numbers;

/// The executed statements with results that are not determined, in the order of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InexactResults {
    pub found: Vec<(StatementId, &'static Inexact)>,
    /// The executed branches whose conditions depend on approximate results, as far as registers show.
    pub decided: Vec<StatementId>,
}

impl InexactResults {
    /// The approximate results, with their errors.
    pub fn approximate(&self) -> impl Iterator<Item = (StatementId, &'static str)> {
        self.found.iter().filter_map(|(at, inexact)| match inexact.promise {
            Promise::Within(error) => Some((*at, error)),
            Promise::Open(_) => None,
        })
    }

    /// The results that PTX leaves open, with the reasons.
    pub fn open(&self) -> impl Iterator<Item = (StatementId, &'static str)> {
        self.found.iter().filter_map(|(at, inexact)| match inexact.promise {
            Promise::Within(_) => None,
            Promise::Open(why) => Some((*at, why)),
        })
    }
}

impl Prepared {
    /// The results of a run that are not determined; `None` if that is not known of the language.
    pub(super) fn inexact_results(&self, result: &RunResult) -> Option<InexactResults> {
        if self.statements.iter().any(|statement| statement.numbers == Numbers::Unknown) {
            return None;
        }
        let executed = || result.summed.iter().filter(|line| line.executed != 0).map(|line| line.statement);
        let inexact = |at: StatementId| match self.statements.get(at.index())?.numbers {
            Numbers::Inexact(inexact) => Some((at, inexact)),
            Numbers::Determined | Numbers::Unknown => None,
        };
        let found: Vec<_> = executed().filter_map(inexact).collect();
        let executed: Vec<StatementId> = executed().collect();
        let approximate: Vec<StatementId> = found
            .iter()
            .filter(|(_, inexact)| matches!(inexact.promise, Promise::Within(_)))
            .map(|(at, _)| *at)
            .collect();
        let decided = if approximate.is_empty() { Vec::new() } else { self.decided(&executed, &approximate) };
        Some(InexactResults { found, decided })
    }

    /// The branches among `executed` that depend on the results of `sources` through registers. Memory is not followed, and
    /// registers of one name in several functions count as one.
    fn decided(&self, executed: &[StatementId], sources: &[StatementId]) -> Vec<StatementId> {
        let ends = self.program.control_flow().ends;
        let branches: FxHashSet<StatementId> =
            ends.iter().filter(|end| end.continues).map(|end| end.statement).collect();
        let flows: Vec<_> = executed.iter().map(|at| (*at, self.program.writes(*at))).collect();
        let mut tainted: FxHashSet<SmolStr> = FxHashSet::default();
        let reads_tainted = |at: StatementId, writes: &[SmolStr], tainted: &FxHashSet<SmolStr>| {
            let registers = self.statements.get(at.index()).map_or(&[][..], |it| &it.registers);
            registers.iter().any(|(name, _)| tainted.contains(name) && !writes.contains(name))
        };
        loop {
            let before = tainted.len();
            for (at, writes) in &flows {
                if sources.contains(at) || reads_tainted(*at, writes, &tainted) {
                    tainted.extend(writes.iter().cloned());
                }
            }
            if tainted.len() == before {
                break;
            }
        }
        let is_decided = |at: &StatementId| branches.contains(at) && reads_tainted(*at, &[], &tainted);
        executed.iter().copied().filter(is_decided).collect()
    }
}
