//! Random integer kernels: what the PTX computes, and what the machine code computes that `ptxas` makes of it.

mod faults;
mod generate;
#[cfg(test)]
mod links;
mod module;
mod sections;
mod tools;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;

use faults::Faults;
use module::Module;
use tools::Tools;

/// The time between lines about the progress.
const PROGRESS: Duration = Duration::from_secs(30);

#[derive(Args)]
pub(crate) struct Options {
    /// The number of kernels.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// The seed of the first module; the others have the seeds after it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The kernels of a module, which are assembled together.
    #[arg(long, default_value_t = 32)]
    module: usize,
    /// The modules that are compared at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The targets of the assembler.
    #[arg(long, value_delimiter = ',', default_value = "sm_75,sm_80,sm_90,sm_100,sm_120")]
    targets: Vec<String>,
    /// The optimization level of the assembler.
    #[arg(short = 'O', default_value_t = 3)]
    level: u8,
    /// A folder for the modules with differences.
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// What was compared.
#[derive(Clone, Copy, Default)]
struct Counts {
    kernels: usize,
    runs: usize,
    unsupported: usize,
    /// Differences with a known fault of the assembler as their reason.
    explained: usize,
    differences: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.kernels += other.kernels;
        self.runs += other.runs;
        self.unsupported += other.unsupported;
        self.explained += other.explained;
        self.differences += other.differences;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { kernels, runs, unsupported, explained, differences } = self;
        write!(
            f,
            "{kernels} kernels, {runs} runs of machine code: {differences} differ, {explained} differ because of a known fault of \
             ptxas, {unsupported} stop at an instruction that is not simulated"
        )
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let tools = Tools::find()?;
    let counts = compare(&tools, &Faults::load()?, options)?;
    println!("-O{}, {}: {counts}", options.level, options.targets.join(", "));
    if counts.differences > 0 { bail!("{} differences", counts.differences) } else { Ok(()) }
}

/// Compares all kernels. After an error, no further module is started.
fn compare(tools: &Tools, faults: &Faults, options: &Options) -> Result<Counts> {
    let size = options.module.max(1);
    let modules = options.count.div_ceil(size);
    let next = AtomicUsize::new(0);
    let total = Mutex::new((Counts::default(), Instant::now()));
    let work = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= modules {
                return Ok(());
            }
            let kernels = size.min(options.count - index * size);
            let module = Module::new(options.seed + index as u64, kernels);
            let counts = module.compare(tools, faults, options).inspect_err(|_| {
                next.store(modules, Ordering::Relaxed);
            })?;
            let mut total = total.lock().expect("no panic in another job");
            total.0.add(counts);
            if total.1.elapsed() > PROGRESS {
                eprintln!("{} of {}: {}", total.0.kernels, options.count, total.0);
                total.1 = Instant::now();
            }
        }
    };
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        jobs.into_iter().try_for_each(|job| job.join().expect("no panic in a job"))
    })?;
    Ok(total.into_inner().expect("no panic in a job").0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGETS: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

    /// The assembler, where it can be had.
    fn tools() -> Option<Tools> {
        let tools = Tools::find();
        tools.inspect_err(|error| eprintln!("skipped: {error}")).ok()
    }

    /// A short run.
    #[test]
    fn machine_code_of_random_kernels() {
        if tools().is_none() {
            return;
        }
        let targets = TARGETS.map(str::to_owned).to_vec();
        let options = Options { count: 12, seed: 7, module: 12, jobs: 1, targets, level: 3, keep: None };
        run(&options).expect("no difference");
    }

    /// The PTX line of each instruction is that which `nvdisasm -gp` prints, in two kernels for each target.
    #[test]
    fn links_of_statements_and_instructions() {
        let Some(tools) = tools() else { return };
        let counts: Vec<usize> = TARGETS
            .iter()
            .enumerate()
            .map(|(index, target)| Module::new(50 + index as u64, 2).check_links(&tools, target))
            .collect();
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
        eprintln!("{} instructions in {} kernels", counts.iter().sum::<usize>(), 2 * TARGETS.len());
    }

    /// Without an assembler: the kernels are valid, finish, and use their input.
    #[test]
    fn kernels_are_valid() {
        Module::new(3, 60).check();
    }
}
