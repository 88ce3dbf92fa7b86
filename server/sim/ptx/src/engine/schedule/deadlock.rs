//! Explains deadlocks and livelocks: which threads wait, for what, and which others wait, too.

use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::{Cluster, Polled};
use warplens_sim_cuda::memory::region::MemoryRegion;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::objects::times;
use warplens_sim_warp::trace::{Finding, Related, Severity, StatementId};

use super::mbarriers::{Mbarriers, WrongPhase};
use super::waits::Waits;
use crate::engine::exec::warp::{Warp, next_statements};
use crate::engine::launch::Launch;
use crate::program::{Op, TensorOp};

/// Maximum number of other waiting warps that a finding names.
const MAX_OTHERS: usize = 8;

/// For each block that has not exited: why it cannot make progress, which threads spin and which wait. A block whose threads wait for an
/// mbarrier only because of the threads of another block is described with that one.
pub(super) fn explain(
    cluster: &Cluster<Warp>,
    launch: &Launch<'_>,
    spaces: &Spaces,
    polled: Polled,
) -> Vec<Finding> {
    let waits = Waits::of(cluster, launch, polled);
    let blocks: Vec<Stuck<'_>> =
        cluster.unfinished_blocks().map(|block| Stuck::of(block, &waits, launch)).collect();
    let cause = blocks.iter().filter_map(|stuck| stuck.first()).min_by_key(|(_, distance)| *distance);
    let follows = |stuck: &Stuck<'_>| {
        let pair = stuck.first().zip(cause).filter(|((first, _), (cause, _))| first.id.cta != cause.id.cta);
        pair.is_some_and(|((first, distance), (cause, nearest))| {
            first.first_test().is_some() && distance > nearest && waits.leads_to(first, cause)
        })
    };
    let (following, causes): (Vec<Stuck<'_>>, Vec<Stuck<'_>>) = blocks.into_iter().partition(follows);
    let is_cause =
        |stuck: &Stuck<'_>| stuck.first().zip(cause).is_some_and(|(first, cause)| first.0.id == cause.0.id);
    let explain = |stuck: &Stuck<'_>| {
        let own = stuck.explain(cluster, &waits, launch, spaces)?;
        let others = following.iter().filter(|_| is_cause(stuck)).flat_map(|other| {
            let waiting =
                other.polling.iter().filter_map(|(warp, _)| warp.waits_too(spaces, waits.rank(other.block)));
            waiting.chain(other.block.waits(&cluster.barrier))
        });
        Some(own.with(others.take(MAX_OTHERS)))
    };
    causes.iter().filter_map(explain).collect()
}

/// A block that cannot make progress, and its warps that poll memory, the likely cause first.
struct Stuck<'a> {
    block: &'a Block<Warp>,
    polling: Vec<(&'a Warp, [bool; 5])>,
}

impl<'a> Stuck<'a> {
    fn of(block: &'a Block<Warp>, waits: &Waits<'_>, launch: &Launch<'_>) -> Stuck<'a> {
        let polling = block.waiting_for_memory().map(|warp| (warp, waits.distance(warp, launch)));
        let mut polling: Vec<_> = polling.collect();
        polling.sort_by_key(|(_, distance)| *distance);
        Stuck { block, polling }
    }

    fn first(&self) -> Option<(&'a Warp, [bool; 5])> {
        self.polling.first().copied()
    }

    fn explain(
        &self,
        cluster: &Cluster<Warp>,
        waits: &Waits<'_>,
        launch: &Launch<'_>,
        spaces: &Spaces,
    ) -> Option<Finding> {
        let block = self.block;
        let finding = match self.polling.first() {
            Some((first, _)) => Some(first.explain_spin(launch, spaces, waits)),
            None => block.warps.iter().find_map(|warp| warp.explain_members(launch)),
        };
        let finding = finding.or_else(|| Some(block.barrier_deadlock(&cluster.barrier)?.1))?;
        let others = self.polling.iter().skip(1).take(MAX_OTHERS);
        let others = others.filter_map(|(warp, _)| warp.waits_too(spaces, None));
        Some(finding.with(others).with(block.waits(&cluster.barrier)))
    }
}

impl Warp {
    /// What another warp waits for, with the rank of its block if that is not the one that the finding is about.
    fn waits_too(&self, spaces: &Spaces, rank: Option<u32>) -> Option<Related> {
        let (statement, lanes) = self.polls_at()?;
        let (lanes, index) = (LaneSet(lanes.into()), self.id.warp);
        let block = rank.map_or(String::new(), |rank| format!(" of block {rank} of the cluster"));
        Some(Related::new(
            statement,
            format!("waiting too: {lanes} of warp {index}{block} {}", self.what(spaces)),
        ))
    }

    fn explain_spin(&self, launch: &Launch<'_>, spaces: &Spaces, waits: &Waits<'_>) -> Finding {
        let (mbarriers, helpers) = (waits.mbarriers, waits.helpers(self));
        let running = self.groups.running().map_or(0, |group| group.mask & self.live);
        let (statement, lanes) = self.polls_at().unwrap_or((self.stopped_at, running));
        let again = mbarriers.passed_again().filter(|_| self.tests_barrier());
        // A wait that passed at once is the cause of everything else.
        let tested = self.first_test().filter(|_| again.is_none());
        let wrong = tested.and_then(|index| Some((index, mbarriers.wrong_phase(index, self, lanes)?)));
        let holds_others =
            !launch.plan.model.info().forward_progress && !self.elsewhere(launch, lanes | running).is_empty();
        let wrong_phase = wrong.as_ref().map(|(_, wrong)| wrong);
        let mut message = self.spin_message(lanes, holds_others, wrong_phase, waits, spaces);
        if let Some((index, _, again)) = again {
            let object = spaces.common_element(MemoryRegion::Shared, index as u64, 8);
            message += &format!(
                ". The wait for {object} passed at once {}, in a phase for which its thread had already waited: change the parity after \
                 each wait",
                times(again)
            );
        }
        let starts_late =
            !helpers.is_empty() && self.first_test().is_some_and(|index| mbarriers.would_pass(index));
        let finding = self.id.finding(FindingKind::NoProgress, message, statement, lanes);
        let finding = Finding { starts_late, ..finding };
        let finding = finding.with(again.map(|(_, wait, _)| Related::new(wait, "this wait passed at once")));
        let others = self.waiting_lanes(launch, lanes | running);
        // Only runs with checks know the statements.
        let known = self.tests_barrier() && launch.options.checks.races;
        let tested = self.polled.values.first().filter(|_| known);
        let contributions = tested.map(|first| mbarriers.contributions(first.index)).unwrap_or_default();
        let overtaking = wrong.and_then(|(index, wrong)| match wrong {
            WrongPhase::Overtaken(phase) => Some(mbarriers.arrivals_for(index, phase + 1)),
            WrongPhase::SkipsFirst => None,
        });
        finding.with(overtaking.into_iter().flatten()).with(contributions).with(others)
    }

    /// What the lanes repeat in vain, why, and the fix. `holds_others` if other lanes of the warp wait until these leave the loop.
    fn spin_message(
        &self,
        lanes: u32,
        holds_others: bool,
        wrong: Option<&WrongPhase>,
        waits: &Waits<'_>,
        spaces: &Spaces,
    ) -> String {
        let set = LaneSet(lanes.into());
        let lanes_of_warp = format!("{set} of warp {}", self.id.warp);
        if waits.polled == Polled::Exchanged {
            return format!(
                "Deadlock: {lanes_of_warp} {} here forever\nthe threads that wait change what they poll, and in no order of their instructions \
                 does a wait end; make one of them store the value for which another one waits",
                set.verb("polls", "poll")
            );
        }
        let Some(first) = self.polled.values.first() else {
            return format!(
                "Livelock: {lanes_of_warp} {} here forever\nthe state of the loop does not change; change the exit \
                 condition in the loop",
                set.verb("iterates", "iterate")
            );
        };
        let reason = match wrong {
            Some(wrong) => format!("\n{}", wrong.explanation()),
            None if self.tests_barrier() => {
                let missing = waits.mbarriers.explained(first.index, &waits.helpers(self));
                format!("\nno live thread can complete {missing}")
            }
            None if holds_others => {
                ", which does not change\nthe other lanes of the warp wait to reconverge with them, and no other live thread can change it"
                    .to_owned()
            }
            None => "\nno live thread can change it; make another thread store the awaited value before it waits or exits".to_owned(),
        };
        format!("Deadlock: {lanes_of_warp} {}{reason}", self.what(spaces))
    }

    /// What the lanes wait for: `poll `flag` (value 0)`.
    pub(super) fn what(&self, spaces: &Spaces) -> String {
        let lanes = self.polls_at().map_or(u32::MAX, |(_, lanes)| lanes);
        let lanes = LaneSet(lanes.into());
        let Some(first) = self.polled.values.first() else {
            return lanes.verb("iterates", "iterate").to_owned();
        };
        let object = spaces.common_element(first.region, first.index as u64, first.size.into());
        match self.tests_barrier() {
            true => format!("{} for the mbarrier {object}", lanes.verb("waits", "wait")),
            false => format!("{} {object} (value {})", lanes.verb("polls", "poll"), first.value),
        }
    }

    /// The mbarrier for which the warp waits.
    pub(super) fn first_test(&self) -> Option<usize> {
        self.polled.values.first().filter(|_| self.tests_barrier()).map(|first| first.index)
    }

    /// Whether the warp waits for a first phase before it writes to shared memory, as a producer does by mistake.
    pub(super) fn should_pass(&self, launch: &Launch<'_>, mbarriers: Mbarriers<'_>) -> bool {
        let waits = self.first_test().is_some_and(|index| mbarriers.would_pass(index));
        let program = &launch.program;
        let place = self.polls_at().and_then(|(statement, _)| program.locate(StatementId(statement)));
        let Some((function, pc)) = place.filter(|_| waits) else { return false };
        let after = program.functions[function].code.iter().skip(pc as usize + 1);
        let next = after.map(|instruction| instruction.op).find_map(|op| match op {
            Op::Store(_) | Op::Copy(_) | Op::BulkCopy(_) | Op::Fill(_) => Some(true),
            Op::Tensor(id) => Some(matches!(program.functions[function].tables[id], TensorOp::Copy(_))),
            Op::Load(_) | Op::MatrixAccess(_) => Some(false),
            _ => None,
        });
        next == Some(true)
    }

    pub(super) fn polls_at(&self) -> Option<(u32, u32)> {
        let (statement, lanes) = self.polled.first?;
        Some((statement, lanes & self.live))
    }

    fn tests_barrier(&self) -> bool {
        self.failed_test.is_some() && self.failed_test == self.polled.first.map(|(statement, _)| statement)
    }

    fn waiting_lanes(&self, launch: &Launch<'_>, lanes: u32) -> Vec<Related> {
        let waiting = self.groups.waiting_for_lanes();
        let named = waiting.iter().fold(lanes, |all, (at, _)| all | at.mask);
        let waits = waiting.into_iter().filter_map(|(at, wanted)| {
            let statement = self.function(launch, at.frame)?.first_statement + at.pc;
            let (here, missing) = (LaneSet(at.mask.into()), LaneSet((wanted & self.live & !at.mask).into()));
            Some(Related::new(statement, format!("waiting here: {here}, for {missing}")))
        });
        let mut related: Vec<Related> = waits.collect();
        related.extend(next_statements(self.elsewhere(launch, named)));
        related
    }

    fn explain_members(&self, launch: &Launch<'_>) -> Option<Finding> {
        let (at, wanted) = self.groups.waiting_for_lanes().into_iter().next()?;
        let statement = self.function(launch, at.frame)?.first_statement + at.pc;
        let missing = wanted & self.live & !at.mask;
        let message = format!(
            "{} would wait here forever for {}\nevery lane in the member mask must execute the \
             instruction; remove the missing lanes from the mask, or make them execute it",
            LaneSet(at.mask.into()),
            LaneSet(missing.into())
        );
        let current = self.elsewhere(launch, !missing).into_iter().map(|(statement, lanes)| {
            Related::new(statement, format!("current statement of {}", LaneSet(lanes.into())))
        });
        let finding = self.id.finding(FindingKind::AbsentMembers, message, statement, at.mask);
        Some(finding.with_severity(Severity::Error).with(current))
    }
}
