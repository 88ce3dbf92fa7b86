//! Inferred launches of real kernels: how their runs end, and which correct kernels have warnings or errors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_ide::{AnalysisHost, FileId};
use warplens_sim_warp::trace::{Finding, RunResult};
use warplens_sim_warp::{Checks, Control, FindingKind, RunOptions, Status};
use warplens_syntax::Language;

use crate::corpus::ptx_files;

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with the corpora.
    #[arg(default_value = "../shared/corpus")]
    folder: PathBuf,
    /// Lists the kernels that do not reach their end, and those with a warning or an error.
    #[arg(long)]
    list: bool,
    /// Only the corpora with this text in their name.
    #[arg(long, default_value = "")]
    only: String,
}

/// The folders of the corpora. All kernels except [`wrong_kernels`] are correct.
const FOLDERS: [&str; 8] = [
    "ptx/generated",
    "ptx/llc",
    "ptx/public",
    "ptx-exec",
    "ptx-tensor",
    "prove",
    "sass-exec/ptx",
    "sass-compare/ptx",
];

/// How the runs of a folder's kernels end.
#[derive(Default)]
struct Counts {
    kernels: usize,
    finished: usize,
    unsupported: usize,
    accused: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let wrong = wrong_kernels(&options.folder)?;
    let mut all = Counts::default();
    for folder in FOLDERS.into_iter().filter(|folder| folder.contains(&options.only)) {
        let mut counts = Counts::default();
        let files = ptx_files(&options.folder.join(folder))?;
        for file in files.iter().filter(|file| !wrong.contains(*file)) {
            of_file(file, warplens_syntax::ptx::LANGUAGE, options.list, &mut counts)?;
        }
        println!("{folder}: {counts}");
        all.add(&counts);
    }
    println!("all: {all}");
    Ok(())
}

/// The PTX files that are known to be wrong: tensor kernels with seeded bugs, and kernels with a refuted property.
fn wrong_kernels(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    #[derive(Deserialize)]
    struct Kernel {
        file: String,
        verdicts: std::collections::BTreeMap<String, Verdict>,
    }
    #[derive(Deserialize)]
    struct Verdict {
        verdict: String,
    }
    let path = folder.join("prove/verdicts.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let kernels: Vec<Kernel> = serde_json::from_str(&text)?;
    let is_wrong = |kernel: &Kernel| kernel.verdicts.values().any(|verdict| verdict.verdict == "refuted");
    let mut wrong: BTreeSet<PathBuf> = kernels
        .iter()
        .filter(|kernel| is_wrong(kernel))
        .map(|kernel| folder.join("prove").join(&kernel.file))
        .collect();
    let bugs = ptx_files(&folder.join("ptx-tensor/bugs"))?;
    wrong.extend(bugs.into_iter().filter(|bug| !bug.to_string_lossy().contains(".twin.")));
    Ok(wrong)
}

/// Runs the inferred launch of each kernel in a file.
fn of_file(file: &Path, language: Language, list: bool, counts: &mut Counts) -> Result<()> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(()) };
    for run in runs(&text, language)? {
        let Run { entry, result } = &run;
        let mut accusations = run.accusations().peekable();
        let is_accused = accusations.peek().is_some();
        counts.kernels += 1;
        counts.finished += usize::from(result.status == Status::Finished);
        counts.unsupported += usize::from(result.status == Status::Unsupported);
        counts.accused += usize::from(is_accused);
        let ends = matches!(result.status, Status::Finished | Status::Unsupported);
        if list && (!ends || is_accused) {
            println!("    {} {entry}: {}", file.display(), result.status.as_str());
            for finding in accusations {
                println!("        {} {}", finding.kind, finding.message.lines().next().unwrap_or_default());
            }
        }
    }
    Ok(())
}

/// The run of a kernel under its inferred launch.
pub(crate) struct Run {
    pub(crate) entry: String,
    result: RunResult,
}

impl Run {
    /// The warnings and errors about the kernel.
    pub(crate) fn accusations(&self) -> impl Iterator<Item = &Finding> {
        self.result.accusations().filter(|finding| finding.kind != FindingKind::Unsupported)
    }
}

/// Runs the inferred launch of each kernel in a text, except those that cannot be decoded because their text has an error.
pub(crate) fn runs(text: &str, language: Language) -> Result<Vec<Run>> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), language, text);
    let analysis = host.snapshot();
    let entries: BTreeSet<String> =
        analysis.launches(FileId(0), None)?.into_iter().filter_map(|offer| offer.entry).collect();
    let mut runs = Vec::new();
    for entry in entries {
        let request = RunRequest {
            entry: Some(entry.clone()),
            launch: Choice::Inferred,
            wave_width: None,
            model: None,
            usual_model: None,
            options: RunOptions { checks: Checks::ALL, ..RunOptions::default() },
        };
        let no_files = |_: &str| Err(String::from("an inferred launch has no files").into());
        let Ok(prepared) = analysis.prepare_run(FileId(0), &request, None, &no_files)? else { continue };
        let Ok((_, result)) = prepared.run_adjusted(Control::none()) else { continue };
        runs.push(Run { entry, result });
    }
    Ok(runs)
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.kernels += other.kernels;
        self.finished += other.finished;
        self.unsupported += other.unsupported;
        self.accused += other.accused;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { kernels, finished, unsupported, accused } = self;
        let supported = kernels - unsupported;
        write!(
            out,
            "{finished} of {supported} kernels run to their end ({:.1} %), {unsupported} more to an unsupported instruction; \
             {accused} have a warning or an error",
            100.0 * *finished as f64 / supported.max(1) as f64
        )
    }
}
