//! The launch and the kernel that a request selects.

use std::sync::Arc;

use warplens_ide_db::{Database, File};
use warplens_sim_launch::{INFERRED, Launch, Problem, launch_object};

use super::available::{AvailableLaunch, LaunchSource, available_launches};
use super::kernels::{kernel_called, names, only_kernel};
use super::launch_file::LaunchFiles;
use crate::simulator::{DocumentKernel, LaunchProblem};

#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The first configured launch, or else the inferred one.
    First,
    Inferred,
    Named(String),
    /// The launch of this name, or else the one that it was renamed to: the new one, if the document had the launches `among` before.
    Followed {
        name: String,
        among: Arc<[String]>,
    },
    Given(Box<Launch>),
}

impl Choice {
    pub fn from_json(object: &str) -> Result<Choice, Problem> {
        Ok(Choice::Given(Box::new(launch_object(object)?)))
    }

    /// The launch of this name, which may be `inferred`.
    pub fn of_name(name: &str) -> Choice {
        if name == INFERRED { Choice::Inferred } else { Choice::Named(name.to_owned()) }
    }
}

/// The selected launch and its kernel.
pub(crate) struct ChosenLaunch<'k> {
    /// `None` for the inferred launch, which needs the decoded kernel.
    pub(crate) launch: Option<Launch>,
    pub(crate) kernel: &'k DocumentKernel,
    pub(crate) source: LaunchSource,
    /// The names of the configured launches, if one of them was selected.
    pub(crate) names: Arc<[String]>,
}

impl ChosenLaunch<'_> {
    fn among(self, configured: &[AvailableLaunch]) -> Self {
        Self { names: configured.iter().map(|launch| launch.name.clone()).collect(), ..self }
    }
}

/// Selects a launch, for the kernel `entry` if one is named.
pub(crate) fn choose<'k>(
    db: &Database,
    file: File,
    (choice, entry): (&Choice, Option<&str>),
    kernels: &'k [DocumentKernel],
    launches: Option<&LaunchFiles>,
) -> Result<ChosenLaunch<'k>, LaunchProblem> {
    // A kernel may be named with its target.
    let name_of = |entry| kernel_called(entry, kernels).map_or(entry, |found| found.kernel.name.as_str());
    let entry = entry.map(name_of);
    let infer = || {
        let (kernel, source) = (only(entry, kernels)?, LaunchSource::Inferred);
        Ok(ChosenLaunch { launch: None, kernel, source, names: Arc::default() })
    };
    let configured = || configured(available_launches(db, file, kernels, launches), entry);
    match choice {
        Choice::Inferred => infer(),
        Choice::Given(launch) => {
            let kernel = only(launch.entry.as_deref().or(entry), kernels)?;
            let (launch, source) = (Some(Launch::clone(launch)), LaunchSource::Given);
            Ok(ChosenLaunch { launch, kernel, source, names: Arc::default() })
        }
        Choice::First => {
            let configured: Vec<_> =
                configured().into_iter().filter(|launch| launch.source.is_configured()).collect();
            // With a problem in another launch, it is uncertain which one is the first.
            match (configured.iter().find_map(|launch| launch.problem.clone()), configured.first()) {
                (Some(problem), _) => Err(problem),
                (None, Some(first)) => Ok(chosen(first.clone(), kernels)?.among(&configured)),
                (None, None) => infer(),
            }
        }
        Choice::Named(name) => named(name, &configured(), kernels),
        Choice::Followed { name, among } => {
            let configured = configured();
            named(renamed(name, among, &configured).unwrap_or(name), &configured, kernels)
        }
    }
}

/// The launch of this name.
fn named<'k>(
    name: &str,
    configured: &[AvailableLaunch],
    kernels: &'k [DocumentKernel],
) -> Result<ChosenLaunch<'k>, LaunchProblem> {
    let mut named = configured.iter().filter(|launch| launch.name == *name);
    match (named.clone().find_map(|launch| launch.problem.clone()), named.next()) {
        (Some(problem), _) => Err(problem),
        (None, Some(named)) => Ok(chosen(named.clone(), kernels)?.among(configured)),
        (None, None) => Err(no_such_launch(name, configured)),
    }
}

/// The new name of a launch that is gone. If there are several new launches, it is the one in the same position.
fn renamed<'l>(name: &str, before: &[String], now: &'l [AvailableLaunch]) -> Option<&'l str> {
    if now.iter().any(|launch| launch.name == name) {
        return None;
    }
    let at = before.iter().position(|before| before == name)?;
    let is_new = |launch: &&AvailableLaunch| !before.contains(&launch.name);
    let same_position = now.get(at).filter(is_new).filter(|_| now.len() == before.len());
    let mut new = now.iter().filter(is_new);
    let only = new.next().filter(|_| new.next().is_none());
    Some(&same_position.or(only)?.name)
}

fn no_such_launch(name: &str, configured: &[AvailableLaunch]) -> LaunchProblem {
    // It may be in the launch file that is invalid.
    let is_unknown =
        |found: &&AvailableLaunch| found.launch.as_ref().is_none_or(|launch| launch.file.is_none());
    let unreadable = configured.iter().filter(|found| found.source == LaunchSource::File).find(is_unknown);
    if let Some(problem) = unreadable.and_then(|found| found.problem.clone()) {
        return problem;
    }
    let names: Vec<_> = configured.iter().map(|found| format!("`{}`", found.name)).collect();
    LaunchProblem::new(match names.is_empty() {
        true => format!("unknown launch `{name}`: the file has only `inferred`"),
        false => {
            format!("unknown launch `{name}`: the file has {} and `inferred`", names.join(", "))
        }
    })
}

/// The configured launches, for `entry` if one is named.
fn configured(mut launches: Vec<AvailableLaunch>, entry: Option<&str>) -> Vec<AvailableLaunch> {
    launches.retain(|launch| launch.source != LaunchSource::Inferred);
    launches.retain(|launch| entry.is_none() || launch.entry.is_none() || launch.entry.as_deref() == entry);
    launches
}

fn chosen(launch: AvailableLaunch, kernels: &[DocumentKernel]) -> Result<ChosenLaunch<'_>, LaunchProblem> {
    if let Some(problem) = launch.problem {
        return Err(problem);
    }
    let kernel = only(launch.entry.as_deref(), kernels)?;
    Ok(ChosenLaunch { launch: launch.launch, kernel, source: launch.source, names: Arc::default() })
}

/// The kernel of this name, or the only one.
fn only<'k>(entry: Option<&str>, kernels: &'k [DocumentKernel]) -> Result<&'k DocumentKernel, LaunchProblem> {
    match (entry, kernels) {
        (Some(entry), _) => {
            kernel_called(entry, kernels).map_err(|unknown| LaunchProblem::new(unknown.to_string()))
        }
        (None, several) => only_kernel(several).ok_or_else(|| {
            let message =
                format!("the file has several kernels; name one (`--entry` or `entry`): {}", names(several));
            LaunchProblem::new(message)
        }),
    }
}
