//! A module of random kernels. It is assembled once per target, and run as PTX and as machine code.

use anyhow::{Context, Result, anyhow, bail};
use fastrand::Rng;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, Equality};
use warplens_ide::lanes::{Choice, Prepared, RunRequest, RunSettings};
use warplens_ide::{Analysis, AnalysisHost, FileId, Language};
use warplens_sim_launch::{Argument, Buffer, Contents, Fill, Launch, Passed};
use warplens_sim_warp::{Control, RunResult, ScalarType, Status};
use warplens_syntax::{ptx, sass};

use super::counts::Counts;
use super::faults::Faults;
use super::generate::{self, BYTES, Style, THREADS, UNIFORM_LONGS, UNIFORM_WORDS, WORDS};
#[cfg(test)]
use super::links;
use super::options::Options;
use super::sections;
use super::tools::Tools;

pub(super) const FILE: FileId = FileId(0);

/// The kernels of a seed, in PTX, without the header of a module.
pub(super) struct Module {
    seed: u64,
    kernels: Vec<String>,
    /// The arguments after the results buffer, which are the input of all kernels.
    input: Vec<Argument>,
}

impl Module {
    pub(super) fn new(seed: u64, style: Style, kernels: usize) -> Module {
        let mut rng = Rng::with_seed(seed);
        let kernels = (0..kernels).map(|index| generate::kernel(&name(index), style, &mut rng)).collect();
        Module { seed, kernels, input: input(&mut rng) }
    }

    /// A kernel, without the header of a module.
    pub(super) fn text(&self, index: usize) -> &str {
        &self.kernels[index]
    }

    /// The arguments after the results buffer.
    pub(super) fn input(&self) -> &[Argument] {
        &self.input
    }

    /// Compares the kernels for all targets.
    pub(super) fn compare(&self, tools: &Tools, faults: &Faults, options: &Options) -> Result<Counts> {
        let mut counts = Counts { kernels: self.kernels.len(), ..Counts::default() };
        let runs = self.ptx_runs(options.targets.first().context("no target")?)?;
        for target in &options.targets {
            let text = format!("{}{}", head(target), self.kernels.concat());
            let listing = tools.listing(&text, target, options.level)?;
            let before = counts.differences + counts.unsupported;
            for (index, ours) in runs.iter().enumerate() {
                let kernel = name(index);
                let at = || format!("seed {}, kernel {kernel}, {target}", self.seed);
                let analysis = open(sass::LANGUAGE, &sections::of_kernel(&listing, &kernel));
                let theirs = result(&analysis, &self.launch(&kernel)).with_context(at)?;
                counts.runs += 1;
                if theirs.1.status == Status::Unsupported {
                    counts.unsupported += 1;
                    println!("{}: {}", at(), first_finding(&theirs.1));
                } else if let Some(difference) = difference(ours, &theirs)? {
                    let reason = self.explain(tools, faults, options, (index, target), ours)?;
                    *(if reason.is_some() { &mut counts.explained } else { &mut counts.differences }) += 1;
                    println!("{}: {difference}; {}", at(), reason.as_deref().unwrap_or("unexplained"));
                }
            }
            if counts.differences + counts.unsupported > before {
                self.keep(options, target, &text, &listing)?;
            }
        }
        Ok(counts)
    }

    /// The faults of the assembler that explain a difference: without their statements, the kernel has the
    /// right results.
    fn explain(
        &self,
        tools: &Tools,
        faults: &Faults,
        options: &Options,
        (index, target): (usize, &str),
        ours: &(Prepared, RunResult),
    ) -> Result<Option<String>> {
        for (reason, text) in faults.without(&self.kernels[index]) {
            let listing = tools.listing(&format!("{}{text}", head(target)), target, options.level)?;
            let theirs = result(&open(sass::LANGUAGE, &listing), &self.launch(&name(index)))?;
            if difference(ours, &theirs)?.is_none() {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    /// The runs of the PTX, which do not depend on the target.
    pub(super) fn ptx_runs(&self, target: &str) -> Result<Vec<(Prepared, RunResult)>> {
        let run = |(index, text): (usize, &String)| {
            let kernel = name(index);
            let at = || format!("seed {}, kernel {kernel}", self.seed);
            let analysis = open(ptx::LANGUAGE, &format!("{}{text}", head(target)));
            let ran = result(&analysis, &self.launch(&kernel)).with_context(at)?;
            match ran.1.status {
                Status::Finished => Ok(ran),
                status => {
                    bail!("{}: the PTX run ended with `{}`: {}", at(), status.as_str(), first_finding(&ran.1))
                }
            }
        };
        self.kernels.iter().enumerate().map(run).collect()
    }

    fn launch(&self, entry: &str) -> Launch {
        let results = Contents::Filled { len: (THREADS * BYTES / 4) as u64, fill: Fill::Zero };
        Launch {
            name: entry.to_owned(),
            entry: Some(entry.to_owned()),
            grid: Some([1; 3]),
            block: Some([THREADS as u32, 1, 1]),
            args: std::iter::once(buffer(results)).chain(self.input.iter().cloned()).collect(),
            ..Launch::default()
        }
    }

    fn keep(&self, options: &Options, target: &str, text: &str, listing: &str) -> Result<()> {
        let Some(folder) = &options.keep else { return Ok(()) };
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{}.{target}.ptx", self.seed)), text)?;
        std::fs::write(folder.join(format!("{}.{target}.sass", self.seed)), listing)?;
        Ok(())
    }

    /// Checks the links between statements and instructions of the kernels for a target. Returns how many instructions have a
    /// link.
    #[cfg(test)]
    pub(super) fn check_links(&self, tools: &Tools, target: &str) -> usize {
        let mut count = 0;
        for (index, text) in self.kernels.iter().enumerate() {
            let ptx = format!("{}{text}", head(target));
            let listing = tools.listing_with_lines(&ptx, target).expect("a listing");
            let links = links::of_listing(&listing);
            let analysis = open(sass::LANGUAGE, &listing);
            let (prepared, _) = result(&analysis, &self.launch(&name(index))).expect("a run");
            let ours: Vec<_> = prepared.statements.iter().filter_map(links::of_statement).collect();
            assert_eq!(ours, links, "seed {}, {}, {target}", self.seed, name(index));
            let lines: Vec<_> = ptx.lines().collect();
            let is_statement = |link: &links::Link| lines[link.line as usize - 1].trim_end().ends_with(';');
            // Instructions that set up the stack belong to the start of the body.
            let body = lines.iter().position(|line| *line == "{").expect("a body") as u64 + 1;
            assert!(links.iter().all(|link| link.line == body || is_statement(link)), "{links:?}");
            count += links.len();
        }
        count
    }

    /// Checks that each kernel is valid PTX and finishes without a finding.
    #[cfg(test)]
    pub(super) fn check(&self) {
        for text in &self.kernels {
            let analysis = open(ptx::LANGUAGE, &format!("{}{text}", head("sm_90")));
            let found = analysis.diagnostics(FILE).expect("not cancelled");
            let errors: Vec<_> = found
                .iter()
                .filter(|found| found.severity == warplens_ide::Severity::Error)
                .map(|found| &found.message)
                .collect();
            assert!(errors.is_empty(), "{errors:?}\n{text}");
        }
        for (_, run) in self.ptx_runs("sm_90").expect("runs") {
            let findings: Vec<_> = run.findings.iter().map(|finding| &finding.message).collect();
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}

pub(super) fn name(index: usize) -> String {
    format!("k{index}")
}

pub(super) fn head(target: &str) -> String {
    format!(".version 8.8\n.target {target}\n.address_size 64\n")
}

fn open(language: Language, text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    host.snapshot()
}

/// The input of the kernels: edge values among random ones.
fn input(rng: &mut Rng) -> Vec<Argument> {
    let elements = (0..THREADS * BYTES / 4).map(|_| u64::from(word(rng))).collect();
    let mut arguments = vec![buffer(Contents::Values(elements))];
    let scalar = |kind, bits| Argument { name: None, passed: Passed::Scalar(kind, bits), at: None };
    for _ in 0..UNIFORM_WORDS {
        arguments.push(scalar(ScalarType::U32, word(rng).into()));
    }
    for _ in 0..UNIFORM_LONGS {
        arguments.push(scalar(ScalarType::U64, u64::from(word(rng)) << 32 | u64::from(word(rng))));
    }
    arguments
}

fn word(rng: &mut Rng) -> u32 {
    let edges = [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 0xffff, 0x8000, 255];
    match rng.usize(..3) {
        0 => edges[rng.usize(..edges.len())],
        1 => rng.u32(..64),
        _ => rng.u32(..),
    }
}

fn buffer(contents: Contents) -> Argument {
    let buffer = Buffer::new(ScalarType::U32, contents);
    Argument { name: None, passed: Passed::Buffer(buffer), at: None }
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

fn first_finding(run: &RunResult) -> String {
    run.findings.first().map(|finding| finding.message.clone()).unwrap_or_default()
}

/// The first difference between the results of two runs.
fn difference(one: &(Prepared, RunResult), other: &(Prepared, RunResult)) -> Result<Option<String>> {
    let runs = [one, other].map(|(prepared, result)| ComparedRun { prepared, result });
    let comparison = Comparison::of(runs, Equality::default(), Control::none());
    let comparison = comparison.map_err(|_| anyhow!("the run was cancelled"))?;
    if comparison.is_equal() {
        return Ok(None);
    }
    let Some(first) = comparison.buffers.first() else {
        let status = other.1.status.as_str();
        return Ok(Some(format!("the machine code ended with `{status}`: {}", first_finding(&other.1))));
    };
    let (thread, byte) = (first.index * 4 / BYTES, first.index * 4 % BYTES);
    let register = match byte.checked_sub(4 * WORDS) {
        None => format!("%r{}", byte / 4),
        Some(rest) => format!("%rd{}", rest / 8),
    };
    let [ours, theirs] = &first.values;
    let stored = match first.stores[1] {
        Some(store) => format!("stored by statement {}", store.statement.index()),
        None => "not stored".to_owned(),
    };
    Ok(Some(format!("thread {thread}, {register}: PTX {ours}, machine code {theirs}, {stored}")))
}
