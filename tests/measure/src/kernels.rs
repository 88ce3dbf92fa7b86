//! Random kernels: compares the results of the PTX with those of the machine code that `ptxas` generates from
//! it.

mod counts;
mod export;
mod faults;
mod generate;
#[cfg(test)]
mod links;
mod module;
mod options;
mod sections;
mod tools;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use counts::Counts;
use faults::Faults;
use module::Module;
use tools::Tools;

pub(crate) use options::Options;

/// The time between progress messages.
const PROGRESS: Duration = Duration::from_secs(30);

pub(crate) fn run(options: &Options) -> Result<()> {
    options.check()?;
    if let Some(folder) = &options.export {
        return export::write(folder, options);
    }
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
            let module = Module::new(options.seed + index as u64, options.style(), kernels);
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
    use super::generate::Style;
    use super::*;

    const TARGETS: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

    const INTEGERS: Style = Style { has_floats: false, statements: None };

    /// The assembler, if found.
    fn tools() -> Option<Tools> {
        let tools = Tools::find();
        tools.inspect_err(|error| warplens_test_support::skip(&error.to_string())).ok()
    }

    /// A short comparison.
    #[test]
    fn machine_code_of_random_kernels() {
        if tools().is_none() {
            return;
        }
        let targets = TARGETS.map(str::to_owned).to_vec();
        let options = Options {
            count: 12,
            seed: 7,
            module: 12,
            jobs: 1,
            targets,
            level: 3,
            floats: false,
            statements: None,
            keep: None,
            export: None,
        };
        run(&options).expect("no difference");
        let targets = TARGETS[1..].iter().map(|target| target.to_string()).collect();
        run(&Options { targets, floats: true, ..options }).expect("no difference");
    }

    /// The PTX line of each instruction equals the one that `nvdisasm -gp` prints, in two kernels per target.
    #[test]
    fn links_of_statements_and_instructions() {
        let Some(tools) = tools() else { return };
        let counts: Vec<usize> = TARGETS
            .iter()
            .enumerate()
            .map(|(index, target)| Module::new(50 + index as u64, INTEGERS, 2).check_links(&tools, target))
            .collect();
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
        eprintln!("{} instructions in {} kernels", counts.iter().sum::<usize>(), 2 * TARGETS.len());
    }

    /// Without an assembler: kernels are valid, finish, and use their input.
    #[test]
    fn kernels_are_valid() {
        Module::new(3, INTEGERS, 60).check();
        Module::new(3, Style { has_floats: true, statements: None }, 60).check();
    }
}
