//! Runs launches with checks, and judges the results.

use std::collections::HashSet;
use std::path::Path;

use warplens_ide::AnalysisHost;
use warplens_ide::lanes::{
    AvailableLaunch, Cancelled, Choice, Exploration, Explored, LaunchFiles, LaunchProblem, Prepared,
    RunRequest, RunSettings, Unexpected, Verdict,
};
use warplens_sim_warp::{Control, Severity};

use crate::cli::files::Input;
use warplens_lsp::{language, launch_file};
use warplens_system::cores::Cores;
use warplens_tools::open;

/// A launch with checks.
pub(super) struct Case {
    /// The path of the source.
    pub(super) path: String,
    /// The kernel and the launch.
    pub(super) name: String,
    pub(super) end: End,
}

/// How a case ended.
pub(super) enum End {
    /// This number of checks passed, in the run and under other schedules.
    Passed { checks: usize, explored: Explored },
    /// Checks failed, or the run has errors or warnings.
    Failed(Vec<String>),
    /// Nothing was found, but evidence is missing.
    Incomplete(Verdict),
    /// The launch cannot be run.
    Invalid(String),
}

/// Runs the launches of sources.
pub(super) struct Runner<'a> {
    /// The divergence model; the default is the model of each launch.
    pub(super) model: Option<&'a str>,
    /// The schedules under which each launch runs besides the default one.
    pub(super) schedules: u32,
    /// Problems of launch files that were already reported: a launch without `file` applies to every source.
    pub(super) reported: HashSet<String>,
}

impl Runner<'_> {
    /// Runs the launches of a source that have checks. `launches` is its launch file; the default is the nearest one.
    pub(super) fn run(&mut self, input: &Input, launches: Option<&Path>) -> Result<Vec<Case>, String> {
        if let Some(file) = launches.filter(|file| *file == input.path) {
            return self.problems(file);
        }
        let text = input.read().map_err(|error| error.to_string())?.text;
        let language = language::of_file(&input.path, &text).map_err(|error| error.to_string())?;
        let nearest = launches.map(Path::to_path_buf).or_else(|| launch_file::nearest(&input.path));
        let file = nearest.as_deref().map(|path| launch_file::read(path, &input.path)).transpose();
        let file = file.map_err(|error| error.to_string())?;
        let files = LaunchFiles { file, hosts: Vec::new() };
        let base = nearest.unwrap_or_else(|| input.path.clone());
        let model = self.model.map(|name| warplens_ide::model(language, name)).transpose();
        let model = model.map_err(|error| format!("--model: {error}"))?;
        let mut host = AnalysisHost::new();
        let id = open(&mut host, language, &text).map_err(|error| error.to_string())?;
        let analysis = host.snapshot();
        let path = input.path.display().to_string();
        let mut cases = Vec::new();
        for offer in analysis.launches(id, Some(&files)).map_err(|error| error.to_string())? {
            let case = |end| Case { path: path.clone(), name: name(&offer), end };
            let has_checks = offer.launch.as_ref().is_some_and(|launch| !launch.expect.is_empty());
            if let Some(problem) = &offer.problem {
                cases.extend(self.invalid(problem, &path).map(|problem| case(End::Invalid(problem))));
            } else if offer.source.is_configured() && has_checks {
                let request = RunRequest {
                    entry: offer.entry.clone(),
                    launch: Choice::of_name(&offer.name),
                    wave_width: None,
                    model,
                    usual_model: None,
                    options: RunSettings::default().options(),
                };
                let read = launch_file::contents(&base);
                let prepared = analysis.prepare_run(id, &request, Some(&files), &read);
                let end = match prepared.map_err(|error| error.to_string())? {
                    Ok(prepared) => run(&prepared, self.schedules)?,
                    Err(problem) => End::Invalid(problem.in_path(&path).to_string()),
                };
                cases.push(case(end));
            }
        }
        Ok(cases)
    }

    /// The problems of a launch file that names no source.
    fn problems(&mut self, file: &Path) -> Result<Vec<Case>, String> {
        let path = file.display().to_string();
        let problems = launch_file::problems(file).map_err(|error| error.to_string())?;
        let case = |(name, problem): (String, LaunchProblem)| {
            let problem = self.invalid(&problem, &path)?;
            Some(Case { path: path.clone(), name, end: End::Invalid(problem) })
        };
        Ok(problems.into_iter().filter_map(case).collect())
    }

    /// The text of a problem, unless it was already reported.
    fn invalid(&mut self, problem: &LaunchProblem, path: &str) -> Option<String> {
        let text = problem.clone().in_path(path).to_string();
        self.reported.insert(text.clone()).then_some(text)
    }
}

fn name(offer: &AvailableLaunch) -> String {
    match &offer.entry {
        Some(entry) => format!("{entry}: {}", offer.name),
        None => offer.name.clone(),
    }
}

/// Warp instructions of all schedules of a launch together: about a second.
const MAX_STEPS: u64 = 4_000_000;

fn run(prepared: &Prepared, schedules: u32) -> Result<End, String> {
    explored(prepared, schedules).map_err(|_| "the run was stopped".to_owned())
}

fn explored(prepared: &Prepared, schedules: u32) -> Result<End, Cancelled> {
    let cores = Cores::all();
    let control = Control { workers: Some(&cores), ..Control::none() };
    let (prepared, mut result) = prepared.run_adjusted(control)?;
    let unexpected = Unexpected::of(&prepared.resolved, &result);
    let exploration = Exploration { max_steps: MAX_STEPS, ..Exploration::new(1, schedules) };
    let explored = prepared.explore(&mut result, &unexpected, &exploration, control)?;
    let verdict = prepared.verdict(&result, &unexpected, &prepared.coverage(&result));
    if verdict.is_incomplete() {
        return Ok(End::Incomplete(verdict));
    }
    if !verdict.has_findings() {
        return Ok(End::Passed { checks: prepared.resolved.launch.expect.len(), explored });
    }
    let counted = result.findings.iter().filter(|finding| finding.severity != Severity::Information);
    let findings = counted.map(|finding| {
        let replay = finding.schedule.map(|schedule| format!("\nonly under `sim --schedule {schedule}`"));
        format!("{}: {}{}", finding.kind, finding.message, replay.unwrap_or_default())
    });
    Ok(End::Failed(findings.chain(unexpected.into_iter().map(|unexpected| unexpected.message)).collect()))
}
