//! The launch and the kernel that a request selects.

use warplens_ide_db::{Database, File};
use warplens_sim_launch::{INFERRED, Launch, Problem, launch_object};

use super::available::{AvailableLaunch, LaunchSource, available_launches};
use super::kernels::{kernel_called, names, only_kernel};
use super::launch_file::LaunchFile;
use crate::simulator::{DocumentKernel, LaunchProblem};

#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The first configured launch, or else the inferred one.
    First,
    Inferred,
    Named(String),
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
}

/// Selects a launch, for the kernel `entry` if one is named.
pub(crate) fn choose<'k>(
    db: &Database,
    file: File,
    (choice, entry): (&Choice, Option<&str>),
    kernels: &'k [DocumentKernel],
    launches: Option<&LaunchFile>,
) -> Result<ChosenLaunch<'k>, LaunchProblem> {
    // A kernel may be named with its target.
    let name_of = |entry| kernel_called(entry, kernels).map_or(entry, |found| found.kernel.name.as_str());
    let entry = entry.map(name_of);
    let infer =
        || Ok(ChosenLaunch { launch: None, kernel: only(entry, kernels)?, source: LaunchSource::Inferred });
    let configured = || configured(available_launches(db, file, kernels, launches), entry);
    match choice {
        Choice::Inferred => infer(),
        Choice::Given(launch) => {
            let kernel = only(launch.entry.as_deref().or(entry), kernels)?;
            Ok(ChosenLaunch { launch: Some(Launch::clone(launch)), kernel, source: LaunchSource::Given })
        }
        Choice::First => {
            let mut configured = configured().into_iter();
            // With a problem in another launch, it is uncertain which one is the first.
            match (configured.clone().find_map(|launch| launch.problem), configured.next()) {
                (Some(problem), _) => Err(problem),
                (None, Some(first)) => chosen(first, kernels),
                (None, None) => infer(),
            }
        }
        Choice::Named(name) => {
            let configured = configured();
            let mut named = configured.iter().filter(|launch| launch.name == *name);
            match (named.clone().find_map(|launch| launch.problem.clone()), named.next()) {
                (Some(problem), _) => Err(problem),
                (None, Some(named)) => chosen(named.clone(), kernels),
                (None, None) => Err(no_such_launch(name, &configured)),
            }
        }
    }
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
    Ok(ChosenLaunch { launch: launch.launch, kernel, source: launch.source })
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
