//! A launch from its first block to its last.

use pulp::Arch;

use super::launch::{RunState, Launch, Listing};
use crate::ptx::engine::divergence::groups::Plan;
use crate::ptx::engine::divergence::model::Model;
use crate::ptx::engine::exec::system_calls::PrintBuffer;
use crate::ptx::engine::exec::warp::Warp;
use crate::ptx::engine::memory::heap::Heap;
use crate::ptx::engine::memory::local::MAX_LOCAL_BYTES;
use crate::ptx::engine::memory::spaces::Spaces;
use crate::ptx::engine::schedule::block::BlockPause;
use crate::ptx::engine::schedule::cluster::{Cluster, MAX_BLOCKS, ClusterWindow};
use crate::ptx::engine::schedule::parallel_blocks::ParallelBlocks;
use crate::ptx::program::{Place, Program, Register};
use crate::ptx::registers::WIDTH;
use crate::ptx::windows;
use crate::warp::LaunchConfig;
use crate::record::Summary;
use crate::trace::{
    Cancelled, Control, Finding, Progress, RegisterValues, RunOptions, RunResult, Severity, Status, WarpId,
    WarpTrace,
};
use crate::values::Values;

/// Instructions between two questions to the caller. Of the dearest, so many take a few milliseconds.
const SLICE: u64 = 1024;

/// Runs a launch of a program to its end, a limit, a fault or a standstill.
pub fn run(
    program: &Program,
    config: LaunchConfig,
    model: Model,
    options: &RunOptions,
    control: Control<'_>,
) -> Result<RunResult, Cancelled> {
    let refusal = refuse(program, &config, options);
    let (blocks, threads) = (config.blocks(), config.threads());
    let LaunchConfig { grid, block, shared_memory: dynamic_shared, mut params, memory, .. } = config;
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
        plan: Plan::new(model, program),
        options: *options,
        arch: Arch::new(),
        listing: Listing::new(&options.limits, program.statements(), warps),
    };
    let spaces = Spaces {
        launch: memory,
        globals: program.globals.clone(),
        constants: program.constants.clone(),
        params,
        shared: Vec::new(),
        own: ClusterWindow::default(),
        heap: Heap::default(),
        printed: PrintBuffer::new(options.limits.max_output),
        changes: 0,
        touched: None,
    };
    let mut run = Run::new(&launch, spaces, control);
    let status = match refusal {
        Some(refusal) => {
            run.state.report(refusal);
            Status::Faulted
        }
        None => run.all_blocks()?,
    };
    Ok(run.result(status))
}

/// Says no to a launch that cannot be held in memory or makes no sense.
fn refuse(program: &Program, config: &LaunchConfig, options: &RunOptions) -> Option<Finding> {
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
        format!("a block has from 1 to 1024 threads, not {threads}")
    } else if config.grid.contains(&0) {
        "a grid has at least one block".to_owned()
    } else if !(1..=MAX_BLOCKS).contains(&together) {
        format!("a cluster has from 1 to {MAX_BLOCKS} blocks, not {together}")
    } else if config.grid.iter().zip(cluster).any(|(grid, cluster)| grid % cluster != 0) {
        let [x, y, z] = cluster;
        format!("the grid is not made of whole clusters of {x} x {y} x {z} blocks: give multiples of these")
    } else if shared > max_shared {
        format!("a block needs {shared} bytes of shared memory, at most {max_shared} can be simulated")
    } else if u64::from(program.params_size) > max_params {
        format!("the parameters take {} bytes, at most {max_params} can be simulated", program.params_size)
    } else if local > u64::from(MAX_LOCAL_BYTES) {
        format!("a thread needs {local} bytes of local memory, and has {MAX_LOCAL_BYTES}")
    } else if memory > max {
        format!("the launch needs {memory} bytes of memory, the limit is {max}")
    } else {
        return None;
    };
    Some(Finding::about_launch("launch", message))
}

/// Blocks that run one after the other on one thread.
pub(crate) struct Run<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) spaces: Spaces,
    pub(crate) state: RunState,
    pub(crate) control: Control<'a>,
    /// Clusters that cannot go on by themselves, and their numbers.
    pub(crate) suspended: Vec<(u64, Cluster)>,
    pub(crate) gathered: CollectedTraces,
    pub(crate) blocks_done: u64,
    /// What the last cluster has left to the next one.
    left: Option<Cluster>,
}

/// The traces of the warps that are done.
#[derive(Default)]
pub(crate) struct CollectedTraces {
    /// With their block's number.
    warps: Vec<(u64, WarpTrace)>,
    truncated: bool,
    summary: Summary,
    values: Option<Values>,
}

impl CollectedTraces {
    /// Adds what blocks behind all of these did.
    pub(crate) fn append(&mut self, others: CollectedTraces) {
        self.warps.extend(others.warps);
        self.truncated |= others.truncated;
        self.values = self.values.take().or(others.values);
        self.summary.add(&others.summary.finish().0);
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, spaces: Spaces, control: Control<'a>) -> Run<'a> {
        Run {
            state: RunState::new(launch),
            launch,
            spaces,
            control,
            suspended: Vec::new(),
            gathered: CollectedTraces::default(),
            blocks_done: 0,
            left: None,
        }
    }

    fn all_blocks(&mut self) -> Result<Status, Cancelled> {
        let clusters = self.launch.clusters();
        let mut crew = ParallelBlocks::new(self);
        let mut number = 0;
        while number < clusters {
            if let Some(status) = self.next_cluster(number)? {
                return Ok(status);
            }
            if self.gathered.values.is_some() {
                return Ok(Status::Finished);
            }
            number += 1;
            if crew.take_over(self, number)? {
                break;
            }
        }
        self.stuck()
    }

    /// Runs the cluster with this number; gives a status if the run is over.
    pub(crate) fn next_cluster(&mut self, number: u64) -> Result<Option<Status>, Cancelled> {
        // Clusters may be many and empty: each is counted like an instruction.
        if number.is_multiple_of(SLICE) && (self.control.cancelled)() {
            return Err(Cancelled);
        }
        if number >= self.launch.options.limits.max_steps {
            return Ok(Some(Status::StepLimit));
        }
        let cluster = Cluster::new(self.launch, number, self.left.take());
        self.cluster(number, cluster)
    }

    /// Runs a cluster as far as it goes; gives a status if the run is over.
    fn cluster(&mut self, number: u64, mut cluster: Cluster) -> Result<Option<Status>, Cancelled> {
        loop {
            match cluster.run(self.launch, &mut self.spaces, &mut self.state) {
                BlockPause::Due => {
                    if let Err(status) = self.ask()? {
                        self.gather(&mut cluster);
                        return Ok(Some(status));
                    }
                }
                BlockPause::Ended => {
                    self.blocks_done += cluster.blocks.len() as u64;
                    self.gather(&mut cluster);
                    self.left = Some(cluster);
                    return Ok(None);
                }
                BlockPause::Stuck => {
                    self.suspended.push((number, cluster));
                    return Ok(self.holds_too_much());
                }
                BlockPause::Stopped(status) => {
                    self.gather(&mut cluster);
                    return Ok(Some(status));
                }
            }
        }
    }

    /// Looks at the limit of memory when one more cluster has to wait for its turn.
    fn holds_too_much(&mut self) -> Option<Status> {
        let (_, last) = self.suspended.last()?;
        let waiting = self.suspended.len() as u64;
        // They are alike, so the last stands for all.
        let (bytes, max) = (last.bytes().saturating_mul(waiting), self.launch.options.limits.max_memory);
        (bytes > max).then(|| {
            let message = format!(
                "{waiting} blocks wait for others, and to keep them takes {bytes} bytes: the limit is {max}; launch fewer"
            );
            self.state.report(Finding {
                code: "memory-limit",
                severity: Severity::Error,
                message,
                statement: None,
                cta: last.blocks[0].warps[0].reporter.cta,
                warp: 0,
                lanes: 0,
                related: Vec::new(),
            });
            Status::Faulted
        })
    }

    /// Asks the caller whether to go on, and looks at the limit.
    fn ask(&mut self) -> Result<Result<(), Status>, Cancelled> {
        let max = self.launch.options.limits.max_steps;
        if (self.control.cancelled)() {
            return Err(Cancelled);
        }
        (self.control.progress)(Progress {
            steps: self.state.steps,
            blocks_done: self.blocks_done,
            blocks: self.launch.blocks(),
        });
        if self.state.trace_complete {
            return Ok(Err(Status::Finished));
        }
        if self.state.steps >= max {
            return Ok(Err(Status::StepLimit));
        }
        self.state.pause_at = (self.state.steps + SLICE).min(max);
        Ok(Ok(()))
    }

    /// Goes round the clusters that could not go on, as long as memory changes under them.
    fn stuck(&mut self) -> Result<Status, Cancelled> {
        loop {
            if self.suspended.is_empty() {
                return Ok(Status::Finished);
            }
            let (before, waiting) = (self.spaces.changes, self.suspended.len());
            for (number, cluster) in std::mem::take(&mut self.suspended) {
                if let Some(status) = self.cluster(number, cluster)? {
                    return Ok(status);
                }
            }
            let nothing_new = self.spaces.changes == before && self.suspended.len() == waiting;
            if nothing_new && !self.suspended.iter_mut().any(|(_, cluster)| cluster.force_progress()) {
                break;
            }
        }
        for (_, cluster) in &self.suspended {
            cluster.explain(self.launch).into_iter().for_each(|finding| self.state.report(finding));
        }
        Ok(Status::NoProgress)
    }

    fn gather(&mut self, cluster: &mut Cluster) {
        for warp in cluster.blocks.iter_mut().flat_map(|block| &mut block.warps) {
            let number = self.launch.number(warp.reporter.cta);
            if let Some(tracer) = warp.tracer.take() {
                self.gathered.values = Some(tracer.finish(self.launch.program));
            }
            let id = WarpId { cta: warp.reporter.cta, warp: warp.reporter.warp };
            let launched = warp.threads.launched().into();
            let registers = self.launch.options.registers.then(|| registers(self.launch.program, warp));
            if warp.listed {
                let (lines, _) = std::mem::take(&mut warp.recorder).finish();
                self.gathered.summary.add(&lines);
                let reconvergences = warp.reconvergences.take();
                let trace =
                    WarpTrace { cta: id.cta, warp: id.warp, launched, lines, registers, reconvergences };
                self.gathered.warps.push((number, trace));
            } else {
                self.gathered.summary.count(&mut warp.recorder);
                self.gathered.truncated = true;
            }
        }
    }

    fn result(mut self, status: Status) -> RunResult {
        for (_, mut cluster) in std::mem::take(&mut self.suspended) {
            self.gather(&mut cluster);
        }
        let CollectedTraces { mut warps, truncated, summary, values } = self.gathered;
        warps.sort_by_key(|(number, trace)| (*number, trace.warp));
        let (summed, totals) = summary.finish();
        RunResult {
            status,
            findings: self.state.into_findings(),
            totals,
            warps: warps.into_iter().map(|(_, trace)| trace).collect(),
            warps_truncated: truncated,
            summed,
            memory: self.spaces.launch,
            output: self.spaces.printed.finish(),
            values,
            model_diff: None,
        }
    }
}

/// The final values of the entry's registers.
fn registers(program: &Program, warp: &Warp) -> Vec<RegisterValues> {
    let Some(Some(frame)) = warp.frames.first() else { return Vec::new() };
    let written = |index: usize| frame.written.as_ref().map_or(0, |written| written[index]);
    let named = program.functions[0].frame.registers.iter().enumerate();
    let values = |index: usize, place: Place| {
        let lane = |lane: usize| {
            (written(index) >> lane & 1 == 1)
                .then(|| crate::ptx::engine::exec::execute::get(place, &frame.registers, lane))
        };
        (0..WIDTH).map(lane).collect()
    };
    named
        .map(|(index, Register { name, bits, place })| RegisterValues {
            name: name.clone(),
            bits: *bits,
            lanes: values(index, *place),
        })
        .collect()
}
