//! What the races of a run say about its other findings.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::StatementId;
use crate::trace::Finding;
use crate::warp::races::remove_raced_reads;

/// The smallest group of threads that contains the threads of two racing accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Warp,
    Block,
    Cluster,
    Grid,
}

impl Scope {
    const ALL: [Scope; 4] = [Scope::Warp, Scope::Block, Scope::Cluster, Scope::Grid];

    /// The cheapest synchronization of the accesses.
    pub(crate) fn barrier(self) -> &'static str {
        match self {
            Scope::Warp => "put a `bar.warp.sync` between the two accesses",
            Scope::Block => "put a `bar.sync` that all threads execute between the two accesses",
            Scope::Cluster => {
                "put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all \
                 threads execute them"
            }
            Scope::Grid => {
                "barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch"
            }
        }
    }
}

/// The races of a run, by statement.
#[derive(Debug, Default)]
pub(crate) struct RaceContext {
    /// Statements that read uninitialized memory only because they ran before the writer, in a reported race.
    raced: FxHashSet<StatementId>,
    /// The widest scope of the races of a statement.
    scopes: FxHashMap<StatementId, Scope>,
}

impl RaceContext {
    pub(crate) fn is_empty(&self) -> bool {
        self.raced.is_empty() && self.scopes.is_empty()
    }

    pub(crate) fn add_raced_read(&mut self, statement: StatementId) {
        self.raced.insert(statement);
    }

    pub(crate) fn widen(&mut self, statement: StatementId, scope: Scope) {
        let widest = self.scopes.entry(statement).or_insert(scope);
        *widest = scope.max(*widest);
    }

    /// Adds other races of the run.
    pub(crate) fn merge(&mut self, other: RaceContext) {
        self.raced.extend(other.raced);
        other.scopes.into_iter().for_each(|(statement, scope)| self.widen(statement, scope));
    }

    /// Completes the findings of the run.
    pub(crate) fn apply(&self, findings: &mut Vec<Finding>) {
        remove_raced_reads(findings, &self.raced);
        findings
            .iter_mut()
            .filter(|finding| finding.code == "data-race")
            .for_each(|race| self.widen_advice(race));
    }

    /// Recommends one barrier for all races of a statement: the widest.
    fn widen_advice(&self, race: &mut Finding) {
        let statements =
            race.statement.into_iter().chain(race.related.iter().map(|related| related.statement));
        let Some(&widest) = statements.filter_map(|statement| self.scopes.get(&statement)).max() else {
            return;
        };
        for narrower in Scope::ALL.into_iter().filter(|scope| *scope < widest) {
            if race.message.contains(narrower.barrier()) {
                race.message = race.message.replacen(narrower.barrier(), widest.barrier(), 1);
                race.message = race.message.replacen("no `bar.warp.sync` between", "no barrier between", 1);
                return;
            }
        }
    }
}
