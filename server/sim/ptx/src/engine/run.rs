//! Runs a launch from its first block to its last.

use std::sync::Arc;

use warplens_isa::ptx::CtaDemand;
use warplens_sim_cuda::grid::launch::{
    GridLaunch, MemoryNeeds, START_COST, cluster_violation, cooperative_violation, refusal, shared_violation,
};
use warplens_sim_cuda::grid::residency::Residency;
use warplens_sim_cuda::grid::run::run_launch;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::windows;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::trace::{Control, Finding, RunOptions, RunOutcome};

use super::launch::Launch;
use crate::engine::divergence::groups::Plan;
use crate::engine::divergence::model::Model;
use crate::engine::exec::warp::Warp;
use crate::engine::waits::spin::may_wait_for_blocks;
use crate::program::Program;

/// Bytes of shared memory whose clearing counts as one instruction.
const BYTES_PER_INSTRUCTION: u32 = 1024;

/// Runs a launch until it finishes, reaches a limit, faults or deadlocks.
pub fn run(
    program: &Program,
    config: LaunchConfig,
    model: Model,
    options: &RunOptions,
    control: Control<'_>,
) -> RunOutcome {
    let pausing = (options.schedule.is_some() || options.log_order).then(|| program.with_pauses());
    let program = pausing.as_ref().unwrap_or(program);
    let refusal = validate(program, &config, options);
    let shared = program.shared_size.saturating_add(config.shared_memory);
    let start_cost = START_COST + u64::from(shared / BYTES_PER_INSTRUCTION);
    let mut common = GridLaunch::new(
        &config,
        cluster(program, &config),
        shared,
        start_cost,
        program.statements(),
        options,
        &control,
    );
    common.residency = residency(program, &common);
    common.may_wait = may_wait_for_blocks(program);
    let refusal = refusal.or_else(|| cooperative_violation(&common));
    let launch = Launch {
        program,
        common,
        dynamic_shared: config.shared_memory,
        workspace: config.workspace,
        prerequisite_writes: config.prerequisite_writes,
        plan: Plan::new(model, program),
        may_split: options.schedule.is_some() && model == Model::Its && program.may_split(),
        cancelled: control.cancelled,
    };
    let mut params = config.params;
    if refusal.is_none() {
        params.resize(params.len().max(program.params_size as usize), 0);
    }
    let spaces = Spaces {
        globals: program.globals.clone(),
        constants: program.constants.clone(),
        params,
        compares_stores: launch.may_wait,
        ..Spaces::new(config.memory, Arc::clone(&program.objects), options)
    };
    run_launch::<Warp>(&launch, spaces, (), control, refusal)
}

fn residency(program: &Program, launch: &GridLaunch) -> Option<Residency> {
    let demand = CtaDemand {
        threads: volume(launch.block),
        registers: program.entry_registers.map(u64::from),
        shared: launch.shared.into(),
    };
    let resident = warplens_isa::ptx::chip(program.chip?)?.residency(demand)?;
    Some(Residency {
        gpu: resident.gpu.name,
        multiprocessors: resident.gpu.multiprocessors,
        blocks_per_multiprocessor: resident.ctas_per_multiprocessor,
    })
}

/// Blocks of a cluster in x, y, z.
fn cluster(program: &Program, config: &LaunchConfig) -> [u32; 3] {
    config.cluster.or(program.cluster).unwrap_or([1; 3])
}

/// Rejects a launch that is invalid or exceeds a limit.
fn validate(program: &Program, config: &LaunchConfig, options: &RunOptions) -> Option<Finding> {
    let shared = u64::from(program.shared_size) + u64::from(config.shared_memory);
    let (max_shared, max_params) = (windows::LOCAL - windows::SHARED, windows::CONST - windows::PARAM);
    let cluster = cluster(program, config);
    let max_shared = if cluster == [1; 3] { max_shared } else { windows::RANK };
    let params = u64::from(program.params_size);
    let violation = cluster_violation(config.grid, cluster)
        .or_else(|| shared_violation(shared, max_shared))
        .or_else(|| {
            (params > max_params)
                .then(|| format!("the parameters require {params} bytes, the limit is {max_params}"))
        });
    let needs = MemoryNeeds {
        fixed: program.globals.size() + program.constants.size() + shared,
        local: program.functions[0].frame.local_size.into(),
    };
    refusal(config, &needs, options, violation)
}
