//! What a run was doing when it reached the step limit: the loop that runs, and the warps that wait.

use warplens_sim_cuda::grid::cluster::Cluster;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related};

use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;
use crate::program::Function;

/// Maximum number of waiting warps that a finding names.
const MAX_WAITING: usize = 8;

/// For a run that reached the step limit, a finding about the running warp's loop and the warps that wait.
pub(super) fn explain_step_limit(
    cluster: &Cluster<Warp>,
    launch: &Launch<'_>,
    spaces: &Spaces,
    suspended: &[(u64, Cluster<Warp>)],
) -> Option<Finding> {
    let warp = cluster.running()?;
    let (statement, lanes) = warp.running_loop(launch)?;
    let limit = launch.options.limits.max_steps;
    let message = format!(
        "{} of warp {} {} this loop\nthe limit is {limit} warp instructions",
        LaneSet(lanes.into()),
        warp.id.warp,
        LaneSet(lanes.into()).verb("iterates", "iterate")
    );
    let finding = warp.id.finding(FindingKind::StepLimit, message, statement, lanes);
    let blocks = cluster.blocks.iter().chain(suspended.iter().flat_map(|(_, cluster)| &cluster.blocks));
    let waiting = blocks.flat_map(|block| block.waiting_for_memory());
    let waiting = waiting.filter(|other| other.id != warp.id).filter_map(|other| {
        let (statement, lanes) = other.polls_at()?;
        let [x, y, z] = other.id.cta;
        let lanes_of_warp =
            format!("{} of warp {} of block {x},{y},{z}", LaneSet(lanes.into()), other.id.warp);
        Some(Related::new(statement, format!("waiting: {lanes_of_warp} {}", other.what(spaces))))
    });
    Some(finding.with(waiting.take(MAX_WAITING)))
}

impl Warp {
    /// The first statement of the innermost loop that the running group is in, and its lanes.
    fn running_loop(&self, launch: &Launch<'_>) -> Option<(u32, u32)> {
        let group = self.groups.running()?;
        let (mut frame, mut pc) = (group.frame, group.pc);
        loop {
            let function = self.function(launch, frame)?;
            if let Some(head) = innermost_loop(function, pc) {
                return Some((function.first_statement + head, group.mask & self.live));
            }
            let (caller, call) = self.frames[frame as usize].as_ref()?.caller?;
            pc = self.function(launch, caller)?.call_site(call)?;
            frame = caller;
        }
    }
}

/// The head of the smallest loop (from a branch's target to the branch) that contains an instruction.
fn innermost_loop(function: &Function, pc: u32) -> Option<u32> {
    let back = function.code.iter().zip(0u32..).filter_map(|(instruction, from)| {
        let head = function.targets_of(instruction)?.into_iter().min()?;
        (head <= pc && pc <= from).then(|| (from - head, head))
    });
    back.min().map(|(_, head)| head)
}
