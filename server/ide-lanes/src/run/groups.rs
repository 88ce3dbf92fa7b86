//! Where lanes diverge and reconverge in a run.

use warplens_sim_warp::{LineTrace, Mask, StatementId, Visit, WarpTrace};

use crate::program::{Flow, Statement};

/// The effect of a statement on the groups of a warp.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    /// [`Role::Branch`] only if lanes may diverge, [`Role::Join`] only if lanes reconverged.
    pub(crate) role: Role,
    /// The sizes of the groups after a statement with several targets, if known.
    pub(crate) parts: Box<[u32]>,
}

/// The effect of a statement on groups of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    #[default]
    Plain,
    /// A branch: lanes that execute it jump, the others continue.
    Branch,
    /// Lanes that had diverged reconverge here.
    Join,
}

impl Role {
    /// The name in JSON, if it has an effect.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Role::Plain => None,
            Role::Branch => Some("branch"),
            Role::Join => Some("join"),
        }
    }
}

/// Whether a visit of a branch was divergent.
pub(crate) fn splits(visit: &Visit) -> bool {
    visit.executed != 0 && visit.executed != visit.active
}

/// The number of visits of a branch that are compared with visits of its reconvergence point.
const COMPARED_VISITS: usize = 64;

pub(crate) fn effects(statements: &[Statement], warp: Option<&WarpTrace>) -> Vec<Effect> {
    let role = |statement: &Statement| match statement.flow {
        Flow::Plain | Flow::Call { .. } => Role::Plain,
        Flow::Branch { .. } | Flow::Switch { .. } => Role::Branch,
    };
    let mut effects: Vec<Effect> =
        statements.iter().map(|statement| Effect { role: role(statement), parts: Box::default() }).collect();
    let Some(warp) = warp else { return effects };
    let mut joins = Vec::new();
    for line in &warp.lines {
        let Some(statement) = statements.get(line.statement.index()) else { continue };
        let (groups, reconvergence) = match &statement.flow {
            Flow::Plain => continue,
            Flow::Branch { reconvergence } => (two_ways(line), reconvergence),
            Flow::Switch { targets, reconvergence } | Flow::Call { targets, reconvergence } => {
                let groups = several_ways(line, targets, *reconvergence, warp);
                let sizes = groups.iter().flatten().map(|group| group.count_ones());
                effects[line.statement.index()].parts = sizes.collect();
                (groups, reconvergence)
            }
        };
        let reconvergence = reconvergence.and_then(|reconvergence| warp.line(reconvergence));
        joins.extend(reconvergence.filter(|line| reconverged(&groups, line)).map(|line| line.statement));
    }
    joins.extend(warp.reconvergences.iter().map(|reconvergence| reconvergence.statement));
    for join in joins {
        if let Some(effect) = effects.get_mut(join.index())
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

/// The lanes that jumped to each target, as the first visits of the targets show; empty if those are ambiguous. Lanes that jumped to
/// the reconvergence point wait there, so its first visit also has the other lanes.
fn several_ways(
    line: &LineTrace,
    targets: &[StatementId],
    reconvergence: Option<StatementId>,
    warp: &WarpTrace,
) -> Vec<Vec<Mask>> {
    let [Visit { executed, repeat: 1, .. }] = &*line.visits else { return Vec::new() };
    let first = |target: &StatementId| Some(warp.line(*target)?.visits.first()?.active & executed);
    let (waiting, running): (Vec<_>, Vec<_>) =
        targets.iter().partition(|target| Some(**target) == reconvergence);
    let mut groups: Vec<Mask> = running.into_iter().filter_map(first).filter(|group| *group != 0).collect();
    let rest = executed & !groups.iter().fold(0, |union, group| union | group);
    if !waiting.is_empty() && rest != 0 {
        groups.push(rest);
    }
    let union = groups.iter().fold(0, |union, group| union | group);
    let lanes: u32 = groups.iter().map(|group| group.count_ones()).sum();
    // Each lane is in exactly one group, unless a target was also reached from elsewhere.
    match groups.len() > 1 && union == *executed && lanes == executed.count_ones() {
        true => vec![groups],
        false => Vec::new(),
    }
}

/// Whether a visit of `reconvergence` has lanes of two groups into which one visit had split.
fn reconverged(splits: &[Vec<Mask>], reconvergence: &LineTrace) -> bool {
    let visits = &reconvergence.visits[..reconvergence.visits.len().min(COMPARED_VISITS)];
    splits.iter().any(|groups| {
        let of = |visit: &Visit| groups.iter().filter(|group| visit.active & **group != 0).count();
        visits.iter().any(|visit| of(visit) > 1)
    })
}

#[cfg(test)]
mod tests {
    use text_size::TextRange;

    use super::*;
    use crate::program::Numbers;
    use crate::testing::trace;

    const ALL: Mask = 0xffff_ffff;
    const LOW: Mask = 0xff;

    /// The sizes of the groups after the first statement, whose targets are the third and the fourth one.
    fn parts(flow: Flow, visits: [&[(Mask, Mask, u64)]; 4]) -> Box<[u32]> {
        let statement = |flow| Statement {
            range: TextRange::default(),
            opcode: TextRange::default(),
            flow,
            registers: Box::default(),
            condition: None,
            meanings: Box::default(),
            address: None,
            source: None,
            code: None,
            numbers: Numbers::Determined,
        };
        let statements =
            [statement(flow), statement(Flow::Plain), statement(Flow::Plain), statement(Flow::Plain)];
        let lines = (0..).zip(visits).filter(|(_, visits)| !visits.is_empty());
        let warp = WarpTrace {
            cta: [0; 3],
            warp: 0,
            launched: ALL,
            lines: lines.map(|(index, visits)| trace(index, visits)).collect(),
            registers: None,
            reconvergences: Vec::new(),
        };
        effects(&statements, Some(&warp))[0].parts.clone()
    }

    #[test]
    fn a_target_may_be_the_reconvergence_point() {
        let flow = Flow::Switch {
            targets: [StatementId(2), StatementId(3)].into(),
            reconvergence: Some(StatementId(3)),
        };
        let visits: [&[_]; 4] = [&[(ALL, ALL, 1)], &[], &[(LOW, LOW, 1)], &[(ALL, ALL, 1)]];
        assert_eq!(*parts(flow, visits), [8, 24]);
    }

    #[test]
    fn calls_of_two_functions() {
        let flow = Flow::Call {
            targets: [StatementId(2), StatementId(3)].into(),
            reconvergence: Some(StatementId(1)),
        };
        let visits: [&[_]; 4] =
            [&[(ALL, ALL, 1)], &[(ALL, ALL, 1)], &[(LOW, LOW, 1)], &[(ALL & !LOW, ALL & !LOW, 1)]];
        assert_eq!(*parts(flow.clone(), visits), [8, 24]);
        let visits: [&[_]; 4] = [&[(ALL, ALL, 1)], &[(ALL, ALL, 1)], &[(ALL, ALL, 1)], &[]];
        assert!(parts(flow, visits).is_empty());
    }
}
