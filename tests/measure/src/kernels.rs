//! Random integer kernels: what the PTX computes, and what the machine code computes that `ptxas` makes of it.

mod generate;
mod tools;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use fastrand::Rng;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, Equality};
use warplens_ide::lanes::{Choice, Prepared, RunRequest, RunSettings};
use warplens_ide::{Analysis, AnalysisHost, FileId, Language};
use warplens_sim::launch::{Argument, Buffer, Contents, Fill, Launch, Passed};
use warplens_sim::{Control, RunResult, ScalarType, Status};
use warplens_syntax::{ptx, sass};

use tools::Tools;

const FILE: FileId = FileId(0);

#[derive(Args)]
pub(crate) struct Options {
    /// The number of kernels.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// The seed of the first module.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The kernels of a module, which are assembled together.
    #[arg(long, default_value_t = 8)]
    module: usize,
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
#[derive(Default)]
struct Counts {
    kernels: usize,
    runs: usize,
    unsupported: usize,
    differences: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let tools = Tools::find()?;
    let mut counts = Counts::default();
    let mut seed = options.seed;
    while counts.kernels < options.count {
        let kernels = options.module.clamp(1, options.count - counts.kernels);
        module(&tools, options, seed, kernels, &mut counts)?;
        counts.kernels += kernels;
        seed += 1;
    }
    println!(
        "{} kernels, {} runs of machine code (-O{}, {}): {} differ, {} stop at an instruction that is not simulated",
        counts.kernels,
        counts.runs,
        options.level,
        options.targets.join(", "),
        counts.differences,
        counts.unsupported,
    );
    if counts.differences > 0 { bail!("{} differences", counts.differences) } else { Ok(()) }
}

/// Compares the kernels of one seed.
fn module(tools: &Tools, options: &Options, seed: u64, kernels: usize, counts: &mut Counts) -> Result<()> {
    let mut rng = Rng::with_seed(seed);
    let body: String = (0..kernels).map(|index| generate::kernel(&format!("k{index}"), &mut rng)).collect();
    let input = input(&mut rng);
    for target in &options.targets {
        let text = format!(".version 8.8\n.target {target}\n.address_size 64\n{body}");
        let listing = tools.listing(&text, target, options.level)?;
        let (one, other) = (open(ptx::LANGUAGE, &text), open(sass::LANGUAGE, &listing));
        for index in 0..kernels {
            let launch = launch(&format!("k{index}"), &input);
            let at = || format!("seed {seed}, kernel k{index}, {target}");
            let ours = result(&one, &launch).with_context(at)?;
            let theirs = result(&other, &launch).with_context(at)?;
            counts.runs += 1;
            if ours.1.status != Status::Finished {
                bail!("{}: the PTX run ended with `{}`", at(), ours.1.status.as_str());
            }
            if theirs.1.status == Status::Unsupported {
                counts.unsupported += 1;
                let finding = theirs.1.findings.first().map(|finding| finding.message.clone());
                println!("{}: {}", at(), finding.unwrap_or_default());
                continue;
            }
            if let Some(difference) = difference(&ours, &theirs)? {
                counts.differences += 1;
                println!("{}: {difference}", at());
                keep(options, seed, target, &text, &listing)?;
            }
        }
    }
    Ok(())
}

fn keep(options: &Options, seed: u64, target: &str, text: &str, listing: &str) -> Result<()> {
    let Some(folder) = &options.keep else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{seed}.{target}.ptx")), text)?;
    std::fs::write(folder.join(format!("{seed}.{target}.sass")), listing)?;
    Ok(())
}

fn open(language: Language, text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    host.snapshot()
}

/// The bytes that the threads read: edge values among random ones.
fn input(rng: &mut Rng) -> Vec<u64> {
    let edges = [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 0xffff, 0x8000, 255];
    let value = |rng: &mut Rng| match rng.usize(..3) {
        0 => edges[rng.usize(..edges.len())],
        1 => rng.u32(..64),
        _ => rng.u32(..),
    };
    (0..generate::THREADS * generate::BYTES / 4).map(|_| u64::from(value(rng))).collect()
}

fn launch(entry: &str, input: &[u64]) -> Launch {
    let zero = Contents::Filled { len: input.len() as u64, fill: Fill::Zero };
    let buffer = |contents| Argument {
        name: None,
        passed: Passed::Buffer(Buffer { element: ScalarType::U32, contents }),
        at: None,
    };
    Launch {
        name: entry.to_owned(),
        entry: Some(entry.to_owned()),
        grid: Some([1; 3]),
        block: Some([generate::THREADS as u32, 1, 1]),
        args: vec![buffer(zero), buffer(Contents::Values(input.to_vec()))],
        ..Launch::default()
    }
}

fn result(analysis: &Analysis, launch: &Launch) -> Result<(Prepared, RunResult)> {
    let request = RunRequest {
        entry: launch.entry.clone(),
        launch: Choice::Given(Box::new(launch.clone())),
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunSettings::default().options(),
    };
    let prepared = analysis.prepare_run(FILE, &request, None, &|path| Err(format!("no file {path}").into()));
    let prepared = prepared?.map_err(|problem| anyhow!("{problem}"))?;
    let result = prepared.run(Control::none()).map_err(|_| anyhow!("the run was cancelled"))?;
    Ok((prepared, result))
}

/// The first difference of two runs.
fn difference(one: &(Prepared, RunResult), other: &(Prepared, RunResult)) -> Result<Option<String>> {
    let runs = [one, other].map(|(prepared, result)| ComparedRun { prepared, result });
    let comparison = Comparison::of(runs, Equality::default(), Control::none());
    let comparison = comparison.map_err(|_| anyhow!("the run was cancelled"))?;
    if comparison.is_equal() {
        return Ok(None);
    }
    let Some(first) = comparison.buffers.first() else {
        let finding = other.1.findings.first().map(|finding| finding.message.clone());
        let status = other.1.status.as_str();
        return Ok(Some(format!("the machine code ended with `{status}`: {}", finding.unwrap_or_default())));
    };
    let (thread, byte) = (first.index * 4 / generate::BYTES, first.index * 4 % generate::BYTES);
    let register = match byte.checked_sub(4 * generate::WORDS) {
        None => format!("%r{}", byte / 4),
        Some(rest) => format!("%rd{}", rest / 8),
    };
    let [ours, theirs] = &first.values;
    let Some(line) = first.stores[1] else {
        return Ok(Some(format!(
            "thread {thread}, {register}: PTX {ours}, machine code {theirs}, not stored"
        )));
    };
    Ok(Some(format!(
        "thread {thread}, {register}: PTX {ours}, machine code {theirs}, stored by statement {}",
        line.statement.index()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run, where the assembler can be had.
    #[test]
    fn machine_code_of_random_kernels() {
        let Ok(_) = Tools::find() else {
            eprintln!("skipped: ptxas not found (WARPLENS_PTXAS), or no nvdisasm beside it");
            return;
        };
        let targets = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"].map(str::to_owned).to_vec();
        let options = Options { count: 8, seed: 7, module: 8, targets, level: 3, keep: None };
        run(&options).expect("no difference");
    }

    /// Without an assembler: the kernels are valid, finish, and use their input.
    #[test]
    fn kernels_are_valid() {
        let mut rng = Rng::with_seed(3);
        for index in 0..20 {
            let name = format!("k{index}");
            let text = format!(
                ".version 8.8\n.target sm_90\n.address_size 64\n{}",
                generate::kernel(&name, &mut rng)
            );
            let analysis = open(ptx::LANGUAGE, &text);
            let found = analysis.diagnostics(FILE).expect("not cancelled");
            let errors: Vec<_> = found
                .iter()
                .filter(|found| found.severity == warplens_ide::Severity::Error)
                .map(|found| &found.message)
                .collect();
            assert!(errors.is_empty(), "{errors:?}\n{text}");
            let (_, run) = result(&analysis, &launch(&name, &input(&mut rng))).expect("a run");
            assert_eq!(run.status, Status::Finished);
            let findings: Vec<_> = run.findings.iter().map(|finding| finding.code).collect();
            assert!(findings.is_empty(), "{findings:?}\n{text}");
        }
    }
}
