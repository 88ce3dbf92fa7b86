//! Runs a launch from its first block to its last.

use std::sync::Arc;

use pulp::Arch;
use warplens_sim_cuda::async_ops::queue::Queue;
use warplens_sim_cuda::listed_warps::Listing;
use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::memory::heap::Heap;
use warplens_sim_cuda::memory::local::MAX_LOCAL_BYTES;
use warplens_sim_cuda::memory::print_buffer::PrintBuffer;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::windows;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::trace::{Cancelled, Control, Finding, RunOptions, RunOutcome, Status};

use super::launch::Launch;
use crate::engine::divergence::groups::Plan;
use crate::engine::divergence::model::Model;
use crate::engine::schedule::cluster::MAX_BLOCKS;
use crate::engine::schedule::parallel_blocks::ParallelBlocks;
use crate::engine::schedule::sequential_blocks::SequentialBlocks;
use crate::program::Program;

/// Runs a launch until it finishes, reaches a limit, faults or deadlocks.
pub fn run(
    program: &Program,
    config: LaunchConfig,
    model: Model,
    options: &RunOptions,
    control: Control<'_>,
) -> RunOutcome {
    let refusal = validate(program, &config, options);
    let (blocks, threads) = (config.blocks(), config.threads());
    let LaunchConfig {
        grid,
        block,
        shared_memory: dynamic_shared,
        mut params,
        workspace,
        memory,
        prerequisite_writes,
        ..
    } = config;
    if refusal.is_none() {
        params.resize(params.len().max(program.params_size as usize), 0);
    }
    let cluster = config.cluster.unwrap_or(program.cluster.unwrap_or([1; 3]));
    let warps = blocks.saturating_mul(threads.div_ceil(WIDTH as u64));
    let launch = Launch {
        program,
        grid,
        block,
        cluster,
        dynamic_shared,
        workspace,
        prerequisite_writes,
        plan: Plan::new(model, program),
        options: *options,
        arch: Arch::new(),
        listing: Listing::new(&options.limits, program.statements(), warps),
        steps: control.steps.filter(|_| control.workers.is_none()).cloned(),
    };
    let spaces = spaces(program, memory, params, options);
    let mut run = SequentialBlocks::new(&launch, spaces, control);
    let status = match refusal {
        Some(refusal) => {
            run.state.report(refusal);
            Status::Faulted
        }
        None => all_blocks(&mut run)?,
    };
    Ok(run.result(status))
}

/// The state spaces at the start of a run.
fn spaces(program: &Program, memory: DeviceMemory, params: Vec<u8>, options: &RunOptions) -> Spaces {
    Spaces {
        launch: memory,
        globals: program.globals.clone(),
        constants: program.constants.clone(),
        params,
        shared: Vec::new(),
        window: ClusterWindow::default(),
        heap: Heap::default(),
        printed: PrintBuffer::new(options.limits.max_output),
        objects: Arc::clone(&program.objects),
        changes: 0,
        skipped_time: 0,
        asynchronous: Queue::new(options.eager),
        tensor_memory: Default::default(),
        changed_maps: Default::default(),
        access_set: None,
    }
}

/// Rejects a launch that is invalid or exceeds a limit.
fn validate(program: &Program, config: &LaunchConfig, options: &RunOptions) -> Option<Finding> {
    let threads = config.threads();
    let shared = u64::from(program.shared_size) + u64::from(config.shared_memory);
    let local = u64::from(program.functions[0].frame.local_size);
    let (max_shared, max_params) = (windows::LOCAL - windows::SHARED, windows::CONST - windows::PARAM);
    let memory = config.memory.size() + program.globals.size() + program.constants.size() + shared;
    let memory = memory.saturating_add(local.saturating_mul(threads));
    let cluster = config.cluster.unwrap_or(program.cluster.unwrap_or([1; 3]));
    let together = cluster.iter().fold(1u32, |product, extent| product.saturating_mul(*extent));
    let max_shared = if together > 1 { windows::RANK } else { max_shared };
    let max = options.limits.max_memory;
    let message = if threads == 0 || threads > 1024 {
        format!("a block must have 1 to 1024 threads, not {threads}")
    } else if config.grid.contains(&0) {
        "a grid must have at least one block".to_owned()
    } else if !(1..=MAX_BLOCKS).contains(&together) {
        format!("a cluster must have 1 to {MAX_BLOCKS} blocks, not {together}")
    } else if config.grid.iter().zip(cluster).any(|(grid, cluster)| grid % cluster != 0) {
        let [x, y, z] = cluster;
        format!("the grid is not a multiple of the cluster extents {x} x {y} x {z}; use multiples of them")
    } else if shared > max_shared {
        format!("a block requires {shared} bytes of shared memory, the limit is {max_shared}")
    } else if u64::from(program.params_size) > max_params {
        format!("the parameters require {} bytes, the limit is {max_params}", program.params_size)
    } else if local > u64::from(MAX_LOCAL_BYTES) {
        format!("a thread requires {local} bytes of local memory, the limit is {MAX_LOCAL_BYTES}")
    } else if memory > max {
        format!("the launch requires {memory} bytes of memory, the limit is {max}")
    } else {
        return None;
    };
    Some(Finding::about_launch(FindingKind::Launch, message))
}

/// Runs all blocks of the launch, in parallel if the caller provides threads.
fn all_blocks(run: &mut SequentialBlocks<'_>) -> Result<Status, Cancelled> {
    let clusters = run.launch.clusters();
    let mut parallel = ParallelBlocks::new(run);
    let mut number = 0;
    while number < clusters {
        if let Some(status) = run.next_cluster(number)? {
            return Ok(status);
        }
        if run.traces.values.is_some() {
            return Ok(Status::Finished);
        }
        number += 1;
        if parallel.take_over(run, number)? {
            break;
        }
    }
    run.resume_suspended()
}
