//! Prepares the run of a selection: resolves launch, model and limits against a document.

use std::path::Path;
use std::sync::Arc;

use warplens_ide::lanes::{Choice, LaunchFiles, Prepared, RunRequest, RunSettings, WarpId};

use crate::documents::snapshot::{Failure, Snapshot};
use crate::files::file_access::read_files;
use crate::files::launch_files::{launch_file_only, launch_files};
use crate::launch_file;
use crate::simulation::selection::Selection;

/// Prepares the run of a selection, made when the document had the launches `among`. `recorded` is a warp that is recorded even if the
/// trace is truncated.
pub(crate) fn prepare(
    snapshot: &Snapshot,
    selection: &Selection,
    among: &Arc<[String]>,
    recorded: Option<WarpId>,
) -> Result<Box<Prepared>, Failure> {
    let home = selection.home.as_ref().unwrap_or(&snapshot.uri);
    let files = match selection.launch {
        Choice::Named(_) => launch_files(snapshot, home)?,
        _ => launch_file_only(snapshot, home)?,
    };
    let files = match files {
        Ok(files) => files,
        // These launches need no launch file.
        Err(_) if matches!(selection.launch, Choice::Inferred | Choice::Given(_)) => LaunchFiles::default(),
        Err(error) => return Err(Failure::refused(error)),
    };
    let settings = &snapshot.settings.simulation;
    let options = RunSettings {
        max_steps: settings.max_steps,
        memory: settings.memory,
        counters: settings.counters,
        warp: recorded,
        ..RunSettings::default()
    };
    let model =
        selection.model.as_deref().map(|name| warplens_ide::model(snapshot.language, name)).transpose();
    let request = RunRequest {
        entry: selection.entry.clone(),
        launch: match selection.launch.clone() {
            Choice::Named(name) => Choice::Followed { name, among: Arc::clone(among) },
            launch => launch,
        },
        model: model.map_err(Failure::refused)?,
        usual_model: warplens_ide::model(snapshot.language, &settings.model).ok(),
        wave_width: None,
        options: options.options(),
    };
    let document = launch_file::path(home);
    let base = files.file.as_ref().map_or(document.as_path(), |file| Path::new(&file.path));
    let contents = Arc::new(launch_file::contents(base));
    let read_file = |name: &str| {
        let (contents, name) = (Arc::clone(&contents), name.to_owned());
        let read = read_files(snapshot, move || contents(&name).map_err(|error| error.to_string()));
        match read {
            Ok(bytes) => bytes.map_err(Into::into),
            Err(Failure::Refused(reason) | Failure::Panicked(reason)) => Err(reason.into()),
            Err(Failure::Cancelled) => Err("canceled".into()),
        }
    };
    let prepared = snapshot.analysis.prepare_run(snapshot.file, &request, Some(&files), &read_file)?;
    let prepared = prepared.map_err(Failure::refused)?;
    match selection.warp {
        Some(warp) if prepared.guess.is_none() && !prepared.has_warp(warp) => Err(unknown_warp(warp)),
        _ => Ok(Box::new(prepared)),
    }
}

/// The refusal of a warp that the run does not have.
pub(crate) fn unknown_warp(WarpId { cta: [x, y, z], warp }: WarpId) -> Failure {
    Failure::Refused(format!("unknown warp {warp} of block {x},{y},{z}"))
}
