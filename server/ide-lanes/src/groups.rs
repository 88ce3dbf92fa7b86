//! Where lanes diverge and reconverge in a run.

use warplens_sim::{LineTrace, Mask, Visit, WarpTrace};

use crate::statement::{Flow, Statement};
use crate::text::{Role, splits};

/// The effect of a statement on the groups of a warp.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    /// A branch only if lanes may diverge, a join only if lanes reconverged.
    pub(crate) role: Role,
    /// The sizes of the groups after a statement with several targets, if known.
    pub(crate) parts: Box<[u32]>,
}

/// The number of visits of a branch that are compared with visits of its reconvergence point.
const COMPARED_VISITS: usize = 64;

/// The effects of all statements, in order.
pub(crate) fn effects(statements: &[Statement], warp: Option<&WarpTrace>) -> Vec<Effect> {
    let role = |statement: &Statement| match statement.flow {
        Flow::Plain => Role::Plain,
        Flow::Branch { .. } | Flow::Switch { .. } => Role::Branch,
    };
    let mut effects: Vec<Effect> =
        statements.iter().map(|statement| Effect { role: role(statement), parts: Box::default() }).collect();
    let Some(warp) = warp else { return effects };
    for line in &warp.lines {
        let Some(statement) = statements.get(line.statement.index()) else { continue };
        let (groups, reconvergence) = match &statement.flow {
            Flow::Plain => continue,
            Flow::Branch { reconvergence } => (two_ways(line), reconvergence),
            Flow::Switch { targets, reconvergence } => {
                let targets: Vec<_> = targets.iter().map(|target| warp.line(*target)).collect();
                let groups = several_ways(line, &targets);
                let sizes = groups.iter().flatten().map(|group| group.count_ones());
                effects[line.statement.index()].parts = sizes.collect();
                (groups, reconvergence)
            }
        };
        let reconvergence = reconvergence.and_then(|reconvergence| warp.line(reconvergence));
        let Some(reconvergence) = reconvergence.filter(|reconvergence| reconverged(&groups, reconvergence))
        else {
            continue;
        };
        if let Some(effect) = effects.get_mut(reconvergence.statement.index())
            && effect.role == Role::Plain
        {
            effect.role = Role::Join;
        }
    }
    for reconvergence in &warp.reconvergences {
        if let Some(effect) = effects.get_mut(reconvergence.statement.index())
            && effect.role == Role::Plain
        {
            effect.role = Role::Join;
        }
    }
    effects
}

/// For each divergent visit: the lanes that took the branch, and the others.
fn two_ways(line: &LineTrace) -> Vec<Vec<Mask>> {
    let split = line.visits.iter().filter(|visit| splits(visit)).take(COMPARED_VISITS);
    split.map(|visit| vec![visit.executed, visit.active & !visit.executed]).collect()
}

/// The lanes that jumped to each target, from the targets' first visits; empty if these do not determine it.
fn several_ways(line: &LineTrace, targets: &[Option<&LineTrace>]) -> Vec<Vec<Mask>> {
    let [Visit { executed, repeat: 1, .. }] = &*line.visits else { return Vec::new() };
    let first = |target: &Option<&LineTrace>| Some(target.as_ref()?.visits.first()?.active & executed);
    let groups: Vec<Mask> = targets.iter().filter_map(first).filter(|group| *group != 0).collect();
    let union = groups.iter().fold(0, |union, group| union | group);
    let lanes: u32 = groups.iter().map(|group| group.count_ones()).sum();
    // Each lane is in exactly one group, unless a target was also reached from elsewhere.
    match groups.len() > 1 && union == *executed && lanes == executed.count_ones() {
        true => vec![groups],
        false => Vec::new(),
    }
}

/// Whether a visit of `reconvergence` has lanes of two groups that one visit made.
fn reconverged(splits: &[Vec<Mask>], reconvergence: &LineTrace) -> bool {
    let visits = &reconvergence.visits[..reconvergence.visits.len().min(COMPARED_VISITS)];
    splits.iter().any(|groups| {
        let of = |visit: &Visit| groups.iter().filter(|group| visit.active & **group != 0).count();
        visits.iter().any(|visit| of(visit) > 1)
    })
}
