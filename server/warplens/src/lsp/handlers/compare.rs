//! `warplens/compare`: runs a launch, then launches that are drawn from it, on the kernels of two documents, and answers with the first
//! difference. Instead of a second document it can take the machine code that the assembler of the settings makes of the first one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::{NumberOrString, TextDocumentIdentifier, Uri};
use warplens_ide::lanes::compare::Equality;
use warplens_ide::lanes::{Choice, RunRequest, RunSettings};
use warplens_sim_launch::Launch;
use warplens_sim_warp::Control;

use crate::cores::Cores;
use crate::launch_file;
use crate::lsp::errors::{internal, refused};
use crate::lsp::from_proto;
use crate::lsp::handlers::assemble::assemble;
use crate::lsp::handlers::tools::{DocumentText, toolchain};
use crate::lsp::scheduling::tasks::TaskControl;
use crate::lsp::settings::Settings;
use crate::lsp::state::State;
use warplens_tools::comparison::compared::Compared;
use warplens_tools::comparison::json as result;
use warplens_tools::comparison::random::{self, Random};
use warplens_tools::comparison::sides::{Sides, labelled};
use warplens_tools::source::{RunError, Source};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: TextDocumentIdentifier,
    /// The other document. The default is the machine code of the first one.
    other: Option<TextDocumentIdentifier>,
    /// The target of the machine code.
    target: Option<String>,
    /// The kernel. The default is the kernel of the launch.
    entry: Option<String>,
    /// The name of a launch. The default is the launch that the document shows, or else its first one.
    launch: Option<String>,
    /// How many launches are drawn if the results of the launch are equal.
    #[serde(default)]
    random: usize,
    seed: Option<u64>,
    work_done_token: Option<NumberOrString>,
}

/// What is compared.
struct Task {
    text: DocumentText,
    other: Option<DocumentText>,
    target: Option<String>,
    entry: Option<String>,
    launch: Choice,
    random: usize,
    seed: Option<u64>,
    uri: Uri,
    settings: Arc<Settings>,
}

impl State {
    /// `warplens/compare`.
    pub(crate) fn compare(&mut self, id: &Id, params: Value) -> Result<()> {
        let params: Params = from_proto::params(params)?;
        let uri = params.text_document.uri;
        let text = DocumentText::find(&self.documents, &uri)?;
        let other = params.other.map(|other| DocumentText::find(&self.documents, &other.uri)).transpose()?;
        let shown = self.shown.launch(&uri);
        let shown = shown.filter(|launch| params.entry.is_none() || launch.entry == params.entry);
        let launch = match (params.launch, shown) {
            (Some(name), _) => Choice::of_name(&name),
            (None, Some(launch)) => Choice::Given(Box::new(Launch { expect: Vec::new(), ..launch })),
            (None, None) => Choice::First,
        };
        let name =
            |text: &DocumentText| text.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let other_name = other.as_ref().map_or_else(|| "its machine code".to_owned(), name);
        let title = format!("Comparing {} with {other_name}", name(&text));
        let task = Task {
            text,
            other,
            target: params.target,
            entry: params.entry,
            launch,
            random: params.random,
            seed: params.seed,
            uri,
            settings: Arc::clone(&self.settings),
        };
        let progress = params.work_done_token.map(|token| (title, token));
        self.start_task(id.clone(), progress, move |running| task.run(running));
        Ok(())
    }
}

impl Task {
    fn run(self, running: &mut TaskControl) -> Result<Value> {
        let Task { text, other, target, entry, launch, random, seed, uri, settings } = self;
        let file = launch_file::of_uri(&uri).map_err(|error| refused(error.to_string()))?;
        let base = file.as_ref().map_or_else(|| text.path.clone(), |file| PathBuf::from(&file.path));
        let launches = launch_file::launches(file, &base);
        let source = text.read()?;
        let (other, target) = match other {
            Some(other) => (other.read()?, None),
            None => {
                let (listing, target) = assemble(&toolchain(&settings, &running.stop)?, &source, target)?;
                (listing, Some(target))
            }
        };
        let request = |source: &Source| request(source, &settings);
        let first = RunRequest { entry, launch, ..request(&source) };
        let stop = Arc::clone(&running.stop);
        let (cores, cancelled) = (Cores::half(), || stop.load(Ordering::Relaxed));
        let sides = Sides {
            sources: [&source, &other],
            requests: [first, request(&other)],
            launches: &launches,
            is_one_kernel: false,
            other_entry: None,
            control: Control { workers: Some(&cores), cancelled: &cancelled, ..Control::none() },
        };
        let random = Random { launches: random, seed: seed.unwrap_or_else(random::seed) };
        let compared = compare(&sides, random, running).map_err(error)?;
        let compared = serde_json::to_value(result::compared(&compared));
        let mut answer = compared.map_err(|error| internal(&error.to_string()))?;
        if let Some(target) = target {
            answer["target"] = target.into();
            answer["listing"] = json!(other.text);
        }
        Ok(answer)
    }
}

/// Compares the launch of the request, and if its results are equal, launches that are drawn from it.
fn compare(
    sides: &Sides<'_>,
    random: Random,
    running: &mut TaskControl,
) -> std::result::Result<Compared, RunError> {
    running.report(|| "running the launch".to_owned(), Some(0));
    let first = sides.first()?;
    let other = sides.other(&first.prepared.resolved.launch)?;
    let equality = Equality::default();
    let chosen = Compared::new(labelled([first, other]), equality, None, sides.control)?;
    if !chosen.comparison.is_equal() || random.launches == 0 {
        return Ok(chosen);
    }
    let drawn = random::compare(sides, &chosen.runs[0], random, equality, &mut |compared, _| {
        let percentage = u32::try_from(compared * 100 / random.launches).unwrap_or_default();
        running.report(|| format!("launch {compared} of {}", random.launches), Some(percentage));
    });
    match drawn {
        Ok(drawn) if drawn.comparison.is_equal() => {
            Ok(Compared { scope: chosen.scope.and(drawn.scope), drawn: drawn.drawn, ..chosen })
        }
        // The kernels do not run with any launch but the chosen one.
        Err(RunError::NothingDrawn { .. }) => Ok(chosen),
        drawn => drawn,
    }
}

fn request(source: &Source, settings: &Settings) -> RunRequest {
    let simulation = &settings.simulation;
    let options =
        RunSettings { max_steps: simulation.max_steps, memory: simulation.memory, ..RunSettings::default() };
    RunRequest {
        entry: None,
        launch: Choice::First,
        model: None,
        usual_model: warplens_ide::model(source.language, &simulation.model).ok(),
        wave_width: None,
        options: options.options(),
    }
}

fn error(error: RunError) -> Error {
    match error {
        RunError::Cancelled => Error::request_cancelled(),
        RunError::OtherKernel { path, entry, found } => {
            refused(format!("{path}: has no kernel `{entry}`: it has {}", found.join(", ")))
        }
        error => refused(error.to_string()),
    }
}
