//! Explains deadlocks and livelocks: which threads wait, for what, and which others wait, too.

use warplens_sim_cuda::async_ops::operation::Issuer;
use warplens_sim_cuda::async_ops::phase_log::{PhaseAction, PhaseLog};
use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::Cluster;
use warplens_sim_cuda::memory::mbarrier_object::Object;
use warplens_sim_cuda::memory::region::MemoryRegion;
use warplens_sim_cuda::memory::spaces::{Spaces, read};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::objects::{bytes as amount, times};
use warplens_sim_warp::trace::{Finding, Related, Severity, StatementId};

use super::contributions::Part;
use super::waits::Waits;
use crate::engine::exec::warp::{Warp, next_statements};
use crate::engine::launch::Launch;
use crate::program::{Op, TensorOp};

/// Maximum number of other waiting warps that a finding names.
const MAX_OTHERS: usize = 8;
/// Maximum number of warps that a message names.
const MAX_NAMED: usize = 4;

#[derive(Clone, Copy)]
pub(super) struct Mbarriers<'a> {
    shared: &'a [u8],
    phases: &'a PhaseLog,
    blocks: &'a [Block<Warp>],
}

/// Why a wait by parity waits for a phase that nobody completes, although an earlier one is complete.
pub(super) enum WrongPhase {
    /// The wait is for this phase, but the next one has completed, too.
    Overtaken(u64),
    /// It is the thread's first wait, and for phase 1.
    SkipsFirst,
}

impl<'a> Mbarriers<'a> {
    pub(super) fn of(cluster: &'a Cluster<Warp>) -> Mbarriers<'a> {
        Mbarriers { shared: &cluster.shared, phases: &cluster.asynchronous.phases, blocks: &cluster.blocks }
    }

    fn object(self, index: usize) -> Option<Object> {
        let bits = self.shared.get(index..index + 8).map_or(0, |bytes| read(bytes, 0, 8));
        Object::of_bits(bits)
    }

    /// The rank of the block that has an object, and the offset in its shared memory.
    pub(super) fn position(self, index: usize) -> Option<(u32, u64)> {
        let size = self.shared.len() / self.blocks.len().max(1);
        Some((index.checked_div(size)? as u32, (index % size) as u64))
    }

    /// What the current phase of an object still needs.
    pub(super) fn needs(self, index: usize) -> Vec<Part> {
        let Some(Object { pending, bytes, .. }) = self.object(index) else { return Vec::new() };
        let needs =
            [(Part::Arrivals, pending != 0), (Part::Bytes, bytes > 0), (Part::Announcement, bytes < 0)];
        needs.into_iter().filter(|(_, is_needed)| *is_needed).map(|(part, _)| part).collect()
    }

    /// Whether any of these threads have arrived in the current phase of an object.
    pub(super) fn have_arrived(self, index: usize, threads: Issuer) -> bool {
        self.phases.of(index).is_some_and(|phases| phases.have_arrived(threads))
    }

    /// Whether the first phase of an object has all arrivals, but not the bytes that they announce. If it has completed, the bytes of later
    /// phases are announced alike.
    pub(super) fn lacks_bytes(self, index: usize) -> bool {
        let is_first = self.phases.of(index).is_none_or(|phases| phases.completed == 0);
        is_first && self.object(index).is_some_and(|object| object.pending == 0 && object.bytes != 0)
    }

    /// Whether all arrivals in the current phase of an object are those of `cp.async.mbarrier.arrive` without `.noinc`, which the phase
    /// needs in addition to its own.
    fn is_raised(self, index: usize) -> bool {
        let object = self.object(index);
        let is_whole = object.is_some_and(|object| object.pending == object.expected);
        is_whole && self.phases.of(index).is_some_and(|phases| phases.raised != 0)
    }

    /// What the current phase of an object waits for, and why it will not come; `helpers` would contribute to it.
    fn explained(self, index: usize, helpers: &[&Warp]) -> String {
        match (self.object(index), self.state(index)) {
            (Some(object), Some(state)) => {
                let phases = self.phases.of(index);
                let has_passed = phases.is_some_and(|phases| !phases.waits.is_empty());
                let has_completed = phases.is_some_and(|phases| phases.completed > 0);
                let arrivals = match (object.pending, object.expected) {
                    (0, _) => String::new(),
                    _ if self.is_raised(index) && helpers.is_empty() => {
                        ". Each `cp.async.mbarrier.arrive` without `.noinc` first raises the number of pending arrivals by one, then lowers it \
                         by one: add `.noinc`, or let each thread also arrive itself"
                            .to_owned()
                    }
                    _ if !helpers.is_empty() && (has_completed || has_passed || !self.would_pass(index)) => {
                        format!(". The threads that would arrive wait, too: {}", self.names(helpers))
                    }
                    _ if !helpers.is_empty() => {
                        ". It waits for phase 0 first; to pass the first time, as a producer's wait does, start with parity 1. \
                         Otherwise add the missing `mbarrier.arrive`"
                            .to_owned()
                    }
                    // After a completed phase, the count of `mbarrier.init` is right.
                    (pending, expected) if pending < expected && !has_completed => {
                        ". Compare the count of `mbarrier.init` with the threads that arrive".to_owned()
                    }
                    (pending, expected) => {
                        let others = if pending < expected { "other " } else { "" };
                        format!(
                            ". No {others}thread arrives in this phase: add the missing `mbarrier.arrive` or `tcgen05.commit`"
                        )
                    }
                };
                state + &unbalanced(&arrivals, object.bytes)
            }
            _ => "it: the object is not initialized".to_owned(),
        }
    }

    /// Names warps: `warp 1, warp 0 of block 1 of the cluster`.
    fn names(self, warps: &[&Warp]) -> String {
        let named = warps.iter().take(MAX_NAMED).map(|warp| {
            let rank = self.blocks.iter().position(|block| block.cta == warp.id.cta);
            match rank.filter(|_| self.blocks.len() > 1) {
                Some(rank) => format!("warp {} of block {rank} of the cluster", warp.id.warp),
                None => format!("warp {}", warp.id.warp),
            }
        });
        let named: Vec<String> = named.collect();
        let others = warps.len().saturating_sub(MAX_NAMED);
        named.join(", ") + &if others == 0 { String::new() } else { format!(", and {others} more") }
    }

    /// Whether some but not all of what the current phase of an object needs has come.
    pub(super) fn is_partial(self, index: usize) -> bool {
        self.object(index).is_some_and(|object| object.pending < object.expected || object.bytes != 0)
    }

    /// Why lanes of a warp wait for a phase of an object that is not the one they are meant to wait for, if so.
    pub(super) fn wrong_phase(self, index: usize, warp: &Warp, lanes: u32) -> Option<WrongPhase> {
        let (object, phases) = (self.object(index)?, self.phases.of(index)?);
        let rank = self.blocks.iter().position(|block| block.cta == warp.id.cta)? as u32;
        let thread = Issuer { rank, warp: warp.id.warp, lanes: lanes & lanes.wrapping_neg() };
        let passed = phases.passed_by(thread)?;
        let next = passed.unwrap_or(object.parity);
        match passed {
            _ if next % 2 == object.parity && next + 2 <= phases.completed => {
                Some(WrongPhase::Overtaken(next))
            }
            None if phases.completed == 1 => Some(WrongPhase::SkipsFirst),
            _ => None,
        }
    }

    /// The statements that arrived for a phase of an object.
    fn arrivals_for(self, index: usize, phase: u64) -> Vec<Related> {
        let first = self.phases.of(index).and_then(|phases| phases.first.get(phase as usize));
        let arrivals = first.into_iter().flatten().filter(|entry| entry.action == PhaseAction::Arrive);
        arrivals.map(|entry| Related::new(entry.statement, format!("arrives for phase {phase}"))).collect()
    }

    /// Whether a wait for an object would pass with the other parity: it is the first one, and no thread has arrived.
    fn would_pass(self, index: usize) -> bool {
        let is_untouched =
            |Object { expected, pending, parity, .. }| pending == expected && pending != 0 && parity == 0;
        let is_first =
            self.phases.of(index).is_none_or(|phases| phases.completed == 0 && phases.waits.is_empty());
        is_first && self.object(index).is_some_and(is_untouched)
    }

    /// What the current phase of an object waits for: `phase 0 (parity 0): 1 of 2 arrivals pending, 2048 bytes missing`.
    pub(super) fn state(self, index: usize) -> Option<String> {
        let Object { expected, pending, bytes, parity, .. } = self.object(index)?;
        let number = self.phases.of(index).map_or(parity, |phases| phases.completed);
        let missing = match bytes {
            0 => "no bytes missing".to_owned(),
            1.. => format!("{} missing", amount(bytes.unsigned_abs())),
            _ => format!("{} too many", amount(bytes.unsigned_abs())),
        };
        Some(format!("phase {number} (parity {parity}): {pending} of {expected} arrivals pending, {missing}"))
    }

    /// The wait of the cluster that most often passed at once: its mbarrier, the statement and the number.
    fn passed_again(self) -> Option<(usize, u32, u64)> {
        let waits = self.phases.all().into_iter().filter_map(|(index, phases)| {
            let (statement, again) = phases.passed_again()?;
            Some((index, statement, again))
        });
        waits.max_by_key(|(.., again)| *again)
    }

    /// The statements that contributed to an object's current phase.
    fn contributions(self, index: usize) -> Vec<Related> {
        let entries = self.phases.of(index).map_or(&[][..], |phases| &phases.running);
        let related = entries.iter().map(|entry| {
            let count = entry.count;
            let what = match entry.action {
                PhaseAction::Initialize => format!("the phase needs {}", arrivals(count)),
                PhaseAction::Arrive => format!("{} in this phase", arrivals(count)),
                PhaseAction::Expect => format!("announces {} of this phase", amount(count)),
                PhaseAction::Complete => format!("copies complete {} of this phase", amount(count)),
            };
            Related::new(entry.statement, what)
        });
        related.collect()
    }
}

fn arrivals(count: u64) -> String {
    if count == 1 { "1 arrival".to_owned() } else { format!("{count} arrivals") }
}

/// For each block that has not exited: why it cannot make progress, which threads spin and which wait. A block whose threads wait for an
/// mbarrier only because of the threads of another block is described with that one.
pub(super) fn explain(cluster: &Cluster<Warp>, launch: &Launch<'_>, spaces: &Spaces) -> Vec<Finding> {
    let waits = Waits::of(cluster, launch);
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
        let lanes_of_warp = format!("{} of warp {}", LaneSet(lanes.into()), self.id.warp);
        let again = mbarriers.passed_again().filter(|_| self.tests_barrier());
        // A wait that passed at once is the cause of everything else.
        let tested = self.first_test().filter(|_| again.is_none());
        let wrong = tested.and_then(|index| Some((index, mbarriers.wrong_phase(index, self, lanes)?)));
        let message = match self.polled.values.is_empty() {
            true => format!(
                "Livelock: {lanes_of_warp} {} here forever\nthe state of the loop does not change; change the exit \
                 condition in the loop",
                LaneSet(lanes.into()).verb("iterates", "iterate")
            ),
            false if let Some((_, WrongPhase::Overtaken(phase))) = &wrong => format!(
                "Deadlock: {lanes_of_warp} {}\nphase {phase}, for which the wait is, has completed, and so has phase {}: its parity is that of \
                 the running phase again. Nothing kept phase {} open until this wait had passed: before an arrival for it, wait until the phase \
                 before has been seen, as with an mbarrier for empty slots",
                self.what(spaces),
                phase + 1,
                phase + 1
            ),
            false if let Some((_, WrongPhase::SkipsFirst)) = &wrong => format!(
                "Deadlock: {lanes_of_warp} {}\nthe first wait of the thread is for phase 1, and only phase 0 has completed. To wait for phase 0, as \
                 a consumer does, start with parity 0",
                self.what(spaces)
            ),
            false if self.tests_barrier() => format!(
                "Deadlock: {lanes_of_warp} {}\nno live thread can complete {}",
                self.what(spaces),
                self.polled
                    .values
                    .first()
                    .map_or_else(String::new, |first| mbarriers.explained(first.index, &helpers))
            ),
            false
                if !launch.plan.model.info().forward_progress
                    && !self.elsewhere(launch, lanes).is_empty() =>
            {
                format!(
                    "Deadlock: {lanes_of_warp} {}, which does not change\nthe other lanes of the warp wait to reconverge with them, and no \
                 other live thread can change it",
                    self.what(spaces)
                )
            }
            false => format!(
                "Deadlock: {lanes_of_warp} {}\nno live thread can change it; make another thread store the awaited value before it \
                 waits or exits",
                self.what(spaces)
            ),
        };
        let message = match again {
            Some((index, _, again)) => {
                let object = spaces.common_element(MemoryRegion::Shared, index as u64, 8);
                format!(
                    "{message}. The wait for {object} passed at once {}, in a phase for which its thread had already waited: \
                     change the parity after each wait",
                    times(again)
                )
            }
            None => message,
        };
        let starts_late =
            !helpers.is_empty() && self.first_test().is_some_and(|index| mbarriers.would_pass(index));
        let finding = self.id.finding(FindingKind::NoProgress, message, statement, lanes);
        let finding = Finding { starts_late, ..finding };
        let finding = finding.with(again.map(|(_, wait, _)| Related::new(wait, "this wait passed at once")));
        let others = self.waiting_lanes(launch, lanes);
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

/// Why a phase of an mbarrier cannot complete, and how to fix that.
fn unbalanced(arrivals: &str, bytes: i64) -> String {
    match bytes {
        0 => arrivals.to_owned(),
        1.. => format!(
            ", which no copy in flight will complete. Announce only the bytes that copies write{arrivals}"
        ),
        _ => format!(
            ", because copies complete more than `expect_tx` announces. Announce all bytes with \
             `mbarrier.arrive.expect_tx`{arrivals}"
        ),
    }
}
