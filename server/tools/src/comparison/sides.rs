//! The two kernels of a comparison, and their runs with one launch.

use warplens_ide::SymbolKind;
use warplens_ide::lanes::{Choice, LaunchSource, Prepared, RunRequest};
use warplens_sim_launch::Launch;
use warplens_sim_warp::Control;

use super::compared::Run;
use crate::source::{Launches, RunError, Source};

/// Two kernels, or one under two models.
pub struct Sides<'s> {
    pub sources: [&'s Source; 2],
    /// The models and limits. The first request also has the launch.
    pub requests: [RunRequest; 2],
    pub launches: &'s Launches,
    /// Whether both sides run the same kernel, under two models.
    pub is_one_kernel: bool,
    /// The name of the second kernel, if the user gave one.
    pub other_entry: Option<&'s str>,
    /// The threads of the runs, and how to cancel them.
    pub control: Control<'s>,
}

impl Sides<'_> {
    /// Runs the first kernel with the requested launch.
    pub fn first(&self) -> Result<Run, RunError> {
        self.run(0, self.sources[0].prepare(&self.requests[0], self.launches)?)
    }

    /// The first kernel with another launch.
    pub fn prepare_first(&self, launch: &Launch) -> Result<Prepared, RunError> {
        let launch = Launch { expect: Vec::new(), ..launch.clone() };
        let request = RunRequest { launch: Choice::Given(Box::new(launch)), ..self.requests[0].clone() };
        self.sources[0].prepare(&request, self.launches)
    }

    /// The second kernel with the launch of the first one.
    pub fn prepare_other(&self, launch: &Launch) -> Result<Prepared, RunError> {
        let launch = self.other_launch(launch)?;
        let request =
            RunRequest { entry: None, launch: Choice::Given(Box::new(launch)), ..self.requests[1].clone() };
        self.sources[1].prepare(&request, self.launches)
    }

    /// Runs the second kernel with the launch of the first one.
    pub fn other(&self, first: &Run) -> Result<Run, RunError> {
        let prepared = self.prepare_other(&first.prepared.resolved.launch)?;
        let (prepared, result) = prepared.run_as_second(&first.prepared, self.control)?;
        Ok(Run::new(self.sources[1], prepared, result))
    }

    pub fn run(&self, side: usize, prepared: Prepared) -> Result<Run, RunError> {
        let (prepared, result) = prepared.run_adjusted(self.control)?;
        Ok(Run::new(self.sources[side], prepared, result))
    }

    /// The launch of the first run for the other kernel: the kernel that the user named, else the one with
    /// the same name, else the only one in its file.
    fn other_launch(&self, launch: &Launch) -> Result<Launch, RunError> {
        let entry = match self.other_entry {
            Some(entry) => Some(entry.to_owned()),
            None => {
                let other = self.sources[1];
                let kernels = self.other_kernels()?;
                let entry = launch.entry.as_ref().filter(|entry| kernels.contains(entry));
                let is_listing = self.sources[0].language != other.language;
                // Machine code keeps the names of its kernels, but a fragment has none.
                if entry.is_none() && is_listing && !self.other_is_fragment()? {
                    return Err(RunError::OtherKernel {
                        path: other.path.clone(),
                        entry: launch.entry.clone().unwrap_or_default(),
                        found: kernels.iter().map(|kernel| format!("`{kernel}`")).collect(),
                    });
                }
                entry.cloned()
            }
        };
        // The expectations and the model belong to the first kernel: its results, and its language.
        let model = launch.model.clone().filter(|_| self.is_one_kernel);
        Ok(Launch { entry, model, expect: Vec::new(), ..launch.clone() })
    }

    /// Whether the second file is a fragment of a listing, whose code has no name.
    fn other_is_fragment(&self) -> Result<bool, RunError> {
        let symbols = self.sources[1].analysis.symbols(self.sources[1].file)?;
        let kernel = symbols.iter().find(|symbol| symbol.kind == SymbolKind::Kernel);
        Ok(kernel.is_none_or(|kernel| kernel.name.is_empty()))
    }

    /// The kernel names in the second file, mangled as in its text, so that overloads differ.
    fn other_kernels(&self) -> Result<Vec<String>, RunError> {
        let other = self.sources[1];
        let offers = other.analysis.launches(other.file, None)?;
        let inferred = offers.into_iter().filter(|offer| offer.source == LaunchSource::Inferred);
        Ok(inferred.filter_map(|offer| offer.entry).collect())
    }
}

/// Labels the runs with what distinguishes them.
pub(super) fn labeled(runs: [Run; 2]) -> [Run; 2] {
    let [one, other] = &runs;
    let labels = match () {
        () if one.path != other.path => [one.path.clone(), other.path.clone()],
        () if one.entry() != other.entry() => [one.entry().to_owned(), other.entry().to_owned()],
        () => [one, other].map(|run| run.prepared.model.name().to_owned()),
    };
    let [one, other] = runs;
    let [first, second] = labels;
    [Run { label: first, ..one }, Run { label: second, ..other }]
}
