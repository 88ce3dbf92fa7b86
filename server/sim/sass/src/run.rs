//! Runs a launch from its first block to its last.

use std::sync::Arc;

use warplens_sim_cuda::grid::launch::{
    MemoryNeeds, cluster_violation, cooperative_violation, refusal, shared_violation,
};
use warplens_sim_cuda::grid::run::run_launch;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::objects::ProgramObjects;
use warplens_sim_cuda::windows;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::trace::{Control, Finding, RunOptions, RunOutcome};

use super::grid_warp::MemoryTags;
use super::launch::{Launch, cluster, shared_bytes};
use super::program::Program;
use super::warp::Warp;

/// Runs a launch until it finishes, reaches a limit, faults or deadlocks. `barriers` selects the model.
pub fn run(
    program: &Program,
    mut config: LaunchConfig,
    barriers: bool,
    options: &RunOptions,
    control: Control<'_>,
) -> RunOutcome {
    let pausing = (options.schedule.is_some() || options.log_order).then(|| program.with_pauses());
    let program = pausing.as_ref().unwrap_or(program);
    let refusal = validate(program, &config, options);
    let symbols = match refusal {
        None => place_globals(program, &mut config.memory),
        Some(_) => Vec::new(),
    };
    let launch = Launch::new(program, &config, &symbols, barriers, options, &control);
    let refusal = refusal.or_else(|| cooperative_violation(&launch));
    let mut spaces = Spaces::new(config.memory, Arc::new(objects(program, &launch)), options);
    spaces.compares_stores = launch.may_wait;
    run_launch::<Warp>(&launch, spaces, MemoryTags::default(), control, refusal)
}

/// Allocates the device variables of a program and returns their addresses.
fn place_globals(program: &Program, memory: &mut DeviceMemory) -> Vec<u64> {
    let placed = program.globals.iter().map(|(name, bytes)| memory.allocate_with(name, bytes).unwrap_or(0));
    let placed: Vec<u64> = placed.collect();
    for &(holder, offset, variable, addend) in &program.pointers {
        let value = placed[variable as usize].wrapping_add(addend).to_le_bytes();
        if let Some(target) = memory.bytes_mut(placed[holder as usize] + u64::from(offset), 8) {
            target.copy_from_slice(&value);
        }
    }
    placed
}

/// The objects that messages name.
fn objects(program: &Program, launch: &Launch<'_>) -> ProgramObjects {
    let mut objects = ProgramObjects::default();
    let stack =
        Object { name: "stack".into(), start: 0, len: program.stack_size.into(), ..Object::default() };
    objects.local.add_local(stack);
    objects.shared.push(Object {
        name: "shared".into(),
        start: 0,
        len: launch.shared.into(),
        ..Object::default()
    });
    objects
}

/// Rejects a launch that is invalid or exceeds a limit.
fn validate(program: &Program, config: &LaunchConfig, options: &RunOptions) -> Option<Finding> {
    let globals: u64 = program.globals.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let shared = u64::from(shared_bytes(program, config.shared_memory));
    let needs = MemoryNeeds { fixed: globals + shared, local: program.stack_size.into() };
    let cluster = cluster(program, config);
    let has_clusters = program.target.cluster_constants().is_some();
    let violation = match cluster {
        [1, 1, 1] => cluster_violation(config.grid, cluster),
        _ if has_clusters => {
            cluster_violation(config.grid, cluster).or_else(|| shared_violation(shared, windows::SHARED_RANK))
        }
        _ => Some("clusters need sm_90 or later; launch the kernel without a cluster".to_owned()),
    };
    refusal(config, &needs, options, violation)
}
