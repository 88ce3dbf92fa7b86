//! What the races of a run imply for its other findings.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::ids::StatementId;
use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::races::remove_raced_reads;
use warplens_sim_warp::trace::Finding;
use warplens_sim_warp::{Advice, AdviceKind};

use crate::sanitizer::unused_reads::UnusedReads;

/// The cheapest synchronization that orders two accesses.
pub(crate) fn synchronize(scope: RaceScope) -> Advice {
    let text = match scope {
        RaceScope::Warp => "put a `bar.warp.sync` between the two accesses",
        RaceScope::Block => "put a `bar.sync` that all threads execute between the two accesses",
        RaceScope::Cluster => {
            "put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all \
             threads execute them"
        }
        RaceScope::Grid => {
            "barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch"
        }
    };
    Advice { kind: AdviceKind::Synchronize(scope), text }
}

#[derive(Debug, Default)]
pub struct RaceContext {
    /// Statements that read uninitialized memory only because they ran before the writer, in a reported race.
    pub(crate) raced: FxHashSet<StatementId>,
    scopes: FxHashMap<StatementId, RaceScope>,
    pub(crate) unused: UnusedReads,
}

impl RaceContext {
    pub(crate) fn is_empty(&self) -> bool {
        self.raced.is_empty() && self.scopes.is_empty() && self.unused.is_empty()
    }

    pub(crate) fn widen(&mut self, statement: StatementId, scope: RaceScope) {
        let widest = self.scopes.entry(statement).or_insert(scope);
        *widest = scope.max(*widest);
    }

    pub fn merge(&mut self, other: RaceContext) {
        self.raced.extend(other.raced);
        self.unused.merge(other.unused);
        other.scopes.into_iter().for_each(|(statement, scope)| self.widen(statement, scope));
    }

    pub(crate) fn apply(&self, findings: &mut Vec<Finding>) {
        remove_raced_reads(findings, &self.raced);
        findings.retain(|finding| !self.unused.explains(finding));
        findings.iter_mut().for_each(|finding| self.widen_advice(finding));
    }

    /// Recommends the same barrier in all races of a statement: the one with the widest scope.
    fn widen_advice(&self, race: &mut Finding) {
        let statements =
            race.statement.into_iter().chain(race.related.iter().map(|related| related.statement));
        let Some(&widest) = statements.filter_map(|statement| self.scopes.get(&statement)).max() else {
            return;
        };
        let Some(narrower) = race.advice else { return };
        if !matches!(narrower.kind, AdviceKind::Synchronize(scope) if scope < widest) {
            return;
        }
        let wider = synchronize(widest);
        race.advice = Some(wider);
        race.message = race.message.replacen(narrower.text, wider.text, 1);
        race.message = race.message.replacen("no `bar.warp.sync` between", "no barrier between", 1);
    }
}
