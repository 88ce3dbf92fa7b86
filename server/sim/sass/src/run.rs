//! Runs a launch from its first block to its last.

use std::sync::Arc;

use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::memory::heap::Heap;
use warplens_sim_cuda::memory::local::MAX_LOCAL_BYTES;
use warplens_sim_cuda::memory::print_buffer::PrintBuffer;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::objects::ProgramObjects;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::patterns::ProgramPatterns;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::listing::Listing;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, Output, Progress, RunOptions, RunOutcome, RunResult, Status, WarpTrace,
};

use super::block::{Block, BlockPause};
use super::launch::{Launch, MAX_THREADS, shared_bytes};
use super::program::{Op, Program};
use super::undefined::UndefinedMemory;

/// The number of instructions between two calls of the caller's control.
const SLICE: u64 = 4096;
/// The cost of starting a block without shared memory, in instructions.
const START_COST: u64 = 4;
/// How far time advances in the first pass in which all threads only wait. It doubles in each further pass.
const FIRST_SKIP: u64 = 1024;
/// How often threads that poll memory continue without a change.
const MAX_IDLE_ROUNDS: u32 = 24;

/// Runs a launch until it finishes, reaches a limit, faults or deadlocks. `barriers` selects the model.
pub fn run(
    program: &Program,
    mut config: LaunchConfig,
    barriers: bool,
    options: &RunOptions,
    control: Control<'_>,
) -> RunOutcome {
    let refusal = validate(program, &config, options);
    let symbols = match refusal {
        None => place_globals(program, &mut config.memory),
        Some(_) => Vec::new(),
    };
    let mut launch = Launch::new(program, &config, &symbols, barriers, options);
    launch.steps = control.steps.filter(|_| control.workers.is_none()).cloned();
    let spaces = Spaces {
        launch: config.memory,
        globals: DeviceMemory::new(0, 0),
        constants: DeviceMemory::new(0, 0),
        params: Vec::new(),
        shared: Vec::new(),
        window: ClusterWindow::default(),
        heap: Heap::default(),
        printed: PrintBuffer::new(0),
        objects: Arc::new(objects(program, &launch)),
        changes: 0,
        skipped_time: 0,
        asynchronous: Default::default(),
        tensor_memory: Default::default(),
        changed_maps: Default::default(),
        access_set: None,
    };
    let sanitizer = Sanitizer::required(options)
        .then(|| Sanitizer::with_patterns(patterns(program), true, [launch.grid, launch.block], options));
    let state = RunState::new(options, sanitizer);
    let mut run = Blocks {
        launch: &launch,
        spaces,
        state,
        undefined: UndefinedMemory::default(),
        control,
        suspended: Vec::new(),
        traces: Listing::default(),
        spare: Vec::new(),
        done: 0,
    };
    let status = match refusal {
        Some(refusal) => {
            run.state.report(refusal);
            Status::Faulted
        }
        None => run.all()?,
    };
    Ok(run.result(status))
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

/// The loads that may wait for other threads.
fn patterns(program: &Program) -> ProgramPatterns {
    let is_strong = |op: Op| matches!(op, Op::Load(access) if program.accesses[access].strong);
    let strong = program.code.iter().enumerate().filter(|(_, operation)| is_strong(operation.op));
    ProgramPatterns::of_polls(strong.map(|(statement, _)| statement as u32))
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
    let threads = config.threads();
    let shared = u64::from(shared_bytes(program, config.shared_memory));
    let local = u64::from(program.stack_size);
    let globals: u64 = program.globals.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let memory = (config.memory.size() + shared + globals).saturating_add(local.saturating_mul(threads));
    let max = options.limits.max_memory;
    let message = if threads == 0 || threads > MAX_THREADS {
        format!("a block must have 1 to {MAX_THREADS} threads, not {threads}")
    } else if config.grid.contains(&0) {
        "a grid must have at least one block".to_owned()
    } else if local > u64::from(MAX_LOCAL_BYTES) {
        format!("a thread requires {local} bytes of local memory, the limit is {MAX_LOCAL_BYTES}")
    } else if memory > max {
        format!("the launch requires {memory} bytes of memory, the limit is {max}")
    } else {
        return None;
    };
    Some(Finding::about_launch(FindingKind::Launch, message))
}

/// The blocks of a launch, run one after another.
struct Blocks<'a> {
    launch: &'a Launch<'a>,
    spaces: Spaces,
    state: RunState,
    undefined: UndefinedMemory,
    control: Control<'a>,
    /// Blocks that cannot continue by themselves.
    suspended: Vec<Block>,
    traces: Listing,
    /// Recorders of warps that are already counted. They keep their runs of statements, because the next warp
    /// most likely takes the same paths.
    spare: Vec<Recorder>,
    done: u64,
}

impl Blocks<'_> {
    fn all(&mut self) -> Result<Status, Cancelled> {
        for number in 0..self.launch.blocks() {
            let max = self.launch.options.limits.max_steps;
            if number.saturating_mul(START_COST) >= max {
                return Ok(self.step_limit());
            }
            let block = Block::new(self.launch.program, self.launch, number, &mut self.spare);
            if let Some(status) = self.block(block)? {
                return Ok(status);
            }
            if self.traces.values.is_some() {
                return Ok(Status::Finished);
            }
        }
        self.resume()
    }

    /// Runs a block as far as possible. Returns a status if the run is over.
    fn block(&mut self, mut block: Block) -> Result<Option<Status>, Cancelled> {
        loop {
            match block.run(
                self.launch.program,
                self.launch,
                &mut self.spaces,
                &mut self.state,
                &mut self.undefined,
            ) {
                BlockPause::Due => {
                    if let Some(status) = self.poll()? {
                        self.collect(block);
                        return Ok(Some(status));
                    }
                }
                BlockPause::Ended => {
                    self.done += 1;
                    self.collect(block);
                    return Ok(None);
                }
                BlockPause::Stuck => {
                    self.suspended.push(block);
                    return Ok(self.exceeds_memory());
                }
                BlockPause::Stopped(status) => {
                    self.collect(block);
                    return Ok(Some(status));
                }
            }
        }
    }

    fn exceeds_memory(&mut self) -> Option<Status> {
        let bytes: u64 = self.suspended.iter().map(Block::bytes).sum();
        let max = self.launch.options.limits.max_memory;
        (bytes > max).then(|| {
            let message = format!(
                "{} suspended blocks require {bytes} bytes, the limit is {max}\nlaunch fewer blocks",
                self.suspended.len()
            );
            self.state.report(Finding::about_launch(FindingKind::MemoryLimit, message));
            Status::Faulted
        })
    }

    /// Polls the caller's control and checks the limits. Returns a status if the run is over.
    fn poll(&mut self) -> Result<Option<Status>, Cancelled> {
        if (self.control.cancelled)() {
            return Err(Cancelled);
        }
        let (steps, max) = (self.state.steps, self.launch.options.limits.max_steps);
        (self.control.progress)(Progress { steps, blocks_done: self.done, blocks: self.launch.blocks() });
        if self.state.trace_complete {
            return Ok(Some(Status::Finished));
        }
        if steps >= max {
            return Ok(Some(self.step_limit()));
        }
        self.state.pause_at = (steps + SLICE).min(max);
        Ok(None)
    }

    fn step_limit(&mut self) -> Status {
        let (limit, blocks) = (self.launch.options.limits.max_steps, self.launch.blocks());
        let message = format!(
            "reached after {} of {blocks} blocks\nthe limit is {limit} warp instructions; launch fewer blocks, or raise it",
            self.done
        );
        let finding = Finding::about_launch(FindingKind::StepLimit, message);
        self.state.report(finding);
        Status::StepLimit
    }

    /// Resumes suspended blocks as long as memory changes, and then the blocks that only poll it.
    fn resume(&mut self) -> Result<Status, Cancelled> {
        let mut idle = 0;
        while !self.suspended.is_empty() {
            let (before, waiting) = (self.spaces.changes, self.suspended.len());
            let mut blocks = std::mem::take(&mut self.suspended).into_iter();
            while let Some(block) = blocks.next() {
                if let Some(status) = self.block(block)? {
                    self.suspended.extend(blocks);
                    return Ok(status);
                }
            }
            if self.spaces.changes != before || self.suspended.len() != waiting {
                idle = 0;
                continue;
            }
            let polls = self.suspended.iter_mut().fold(false, |any, block| block.continue_polling() | any);
            if !polls || idle >= MAX_IDLE_ROUNDS {
                let findings: Vec<Finding> = self.suspended.iter().filter_map(Block::explain).collect();
                findings.into_iter().for_each(|finding| self.state.report(finding));
                return Ok(Status::NoProgress);
            }
            self.spaces.skipped_time += FIRST_SKIP << idle;
            idle += 1;
        }
        Ok(Status::Finished)
    }

    fn collect(&mut self, block: Block) {
        let program = self.launch.program;
        for mut warp in block.warps {
            if let Some(tracer) = warp.tracer.take() {
                self.traces.values = Some(tracer.finish(&program.named));
            }
            let registers = self.launch.options.registers.then(|| warp.register_values(program));
            if warp.listed {
                let reconvergences = warp.take_reconvergences();
                let (lines, _) = std::mem::take(&mut warp.recorder).finish();
                let launched = warp.position.launched().into();
                let trace = WarpTrace {
                    cta: warp.id.cta,
                    warp: warp.id.warp,
                    launched,
                    lines,
                    registers,
                    reconvergences,
                };
                self.traces.list(block.number, trace);
            } else {
                self.traces.count(&mut warp.recorder, !self.launch.is_within_limits(warp.id));
                self.spare.push(warp.recorder);
            }
        }
    }

    fn result(mut self, status: Status) -> RunResult {
        for block in std::mem::take(&mut self.suspended) {
            self.collect(block);
        }
        // The buffers differ from what the kernel would leave.
        let status = match status {
            Status::Finished if self.undefined.has_global() => Status::Unsupported,
            status => status,
        };
        let last_store = self.state.sanitizer.as_ref().and_then(|sanitizer| sanitizer.last_store());
        let findings = self.state.into_findings();
        let result = self.traces.finish(status, findings, self.spaces.launch, Output::default());
        RunResult { last_store, ..result }
    }
}
