//! Opens a text in an analysis, and prepares its runs.

use warplens_ide::lanes::{Choice, LaunchFiles, Prepared, RunRequest, RunSettings};
use warplens_ide::{Analysis, AnalysisHost, FileId, Language};

/// The only file in an analysis.
pub(crate) const FILE: FileId = FileId(0);

pub(crate) fn open(language: Language, text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    host.snapshot()
}

/// A request for a launch under its own model or the default of its language, with limits that keep a case
/// short.
pub(crate) fn request(entry: Option<String>, launch: Choice, settings: RunSettings) -> RunRequest {
    let options = RunSettings { memory: 16, ..settings }.options();
    RunRequest { entry, launch, wave_width: None, model: None, usual_model: None, options }
}

/// The run; `None` if the launch is refused. Launches find no files.
pub(crate) fn prepared(
    analysis: &Analysis,
    request: &RunRequest,
    launches: Option<&LaunchFiles>,
) -> Option<Prepared> {
    let read = |_: &str| Err("no files here".into());
    analysis.prepare_run(FILE, request, launches, &read).expect("not cancelled").ok()
}
