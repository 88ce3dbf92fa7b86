//! The mbarriers of a cluster when it can no longer make progress: what their phases wait for, and why it does not come.

use warplens_sim_cuda::async_ops::operation::Issuer;
use warplens_sim_cuda::async_ops::phase_log::{PhaseAction, PhaseLog};
use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::Cluster;
use warplens_sim_cuda::memory::mbarrier_object::Object;
use warplens_sim_cuda::memory::spaces::read;
use warplens_sim_warp::objects::bytes as amount;
use warplens_sim_warp::trace::Related;

use super::contributions::Part;
use crate::engine::exec::warp::Warp;

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

impl WrongPhase {
    pub(super) fn explanation(&self) -> String {
        match self {
            WrongPhase::Overtaken(phase) => format!(
                "phase {phase}, for which the wait is, has completed, and so has phase {}: its parity is that of the running phase again. \
                 Nothing kept phase {} open until this wait had passed: before an arrival for it, wait until the phase before has been \
                 seen, as with an mbarrier for empty slots",
                phase + 1,
                phase + 1
            ),
            WrongPhase::SkipsFirst => {
                "the first wait of the thread is for phase 1, and only phase 0 has completed. To wait for phase 0, as a consumer does, start \
                 with parity 0"
                    .to_owned()
            }
        }
    }
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
    pub(super) fn explained(self, index: usize, helpers: &[&Warp]) -> String {
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
    pub(super) fn arrivals_for(self, index: usize, phase: u64) -> Vec<Related> {
        let first = self.phases.of(index).and_then(|phases| phases.first.get(phase as usize));
        let arrivals = first.into_iter().flatten().filter(|entry| entry.action == PhaseAction::Arrive);
        arrivals.map(|entry| Related::new(entry.statement, format!("arrives for phase {phase}"))).collect()
    }

    /// Whether a wait for an object would pass with the other parity: it is the first one, and no thread has arrived.
    pub(super) fn would_pass(self, index: usize) -> bool {
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
    pub(super) fn passed_again(self) -> Option<(usize, u32, u64)> {
        let waits = self.phases.all().into_iter().filter_map(|(index, phases)| {
            let (statement, again) = phases.passed_again()?;
            Some((index, statement, again))
        });
        waits.max_by_key(|(.., again)| *again)
    }

    /// The statements that contributed to an object's current phase.
    pub(super) fn contributions(self, index: usize) -> Vec<Related> {
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
