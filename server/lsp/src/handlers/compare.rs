//! `warplens/compare`: runs a launch, then launches that are drawn from it, on the kernels of two documents, and answers with the first
//! difference. Instead of a second document it can take the machine code that the assembler of the settings makes of the first one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ls_types::{NumberOrString, TextDocumentIdentifier};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_ide::lanes::compare::Equality;
use warplens_ide::lanes::{Choice, RunRequest, RunSettings};
use warplens_protocol::jsonrpc::{Error, Id, Result};
use warplens_sim_launch::Launch;
use warplens_sim_warp::Control;

use crate::errors::{encoded, refused};
use crate::from_proto;
use crate::handlers::assemble::assemble;
use crate::handlers::tools::{DocumentText, toolchain};
use crate::launch_file;
use crate::scheduling::tasks::TaskControl;
use crate::settings::Settings;
use crate::state::State;
use warplens_system::cores::Cores;
use warplens_tools::comparison::compared::{Compared, Drawn};
use warplens_tools::comparison::contraction;
use warplens_tools::comparison::json::{self, JsonCompared};
use warplens_tools::comparison::random::{self, Random};
use warplens_tools::comparison::sides::Sides;
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

#[derive(Serialize)]
struct ComparedDocuments<'c> {
    #[serde(flatten)]
    compared: JsonCompared<'c>,
    #[serde(flatten)]
    code: ComparedCode,
}

/// The machine code in the answer of `warplens/compare`, if it was compared.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(crate) struct ComparedCode {
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<String>,
}

struct Task {
    params: Params,
    text: DocumentText,
    other: Option<DocumentText>,
    launch: Choice,
    settings: Arc<Settings>,
}

impl State {
    pub(crate) fn compare(&mut self, id: &Id, params: Value) -> Result<()> {
        let params: Params = from_proto::params(params)?;
        let uri = &params.text_document.uri;
        let text = DocumentText::find(&self.documents, uri)?;
        let other = params.other.as_ref();
        let other = other.map(|other| DocumentText::find(&self.documents, &other.uri)).transpose()?;
        let shown = self.shown.launch(uri);
        let shown = shown.filter(|launch| params.entry.is_none() || launch.entry == params.entry);
        let launch = match (&params.launch, shown) {
            (Some(name), _) => Choice::of_name(name),
            (None, Some(launch)) => Choice::Given(Box::new(Launch { expect: Vec::new(), ..launch })),
            (None, None) => Choice::First,
        };
        let name =
            |text: &DocumentText| text.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let other_name = other.as_ref().map_or_else(|| "its machine code".to_owned(), name);
        let title = format!("Comparing {} with {other_name}", name(&text));
        let progress = params.work_done_token.clone().map(|token| (title, token));
        let task = Task { params, text, other, launch, settings: Arc::clone(&self.settings) };
        self.start_task(id.clone(), progress, move |running| task.run(running));
        Ok(())
    }
}

impl Task {
    fn run(self, running: &mut TaskControl) -> Result<Value> {
        let Task { params, text, other, launch, settings } = self;
        let Params { entry, target, random, seed, .. } = params;
        let file =
            launch_file::of_uri(&params.text_document.uri).map_err(|error| refused(error.to_string()))?;
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
        let code = ComparedCode { listing: target.as_ref().map(|_| other.text.clone()), target };
        encoded(ComparedDocuments { compared: json::compared(&compared), code })
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
    let other = sides.other(&first)?;
    let equality = Equality::default();
    let chosen = contraction::compare(sides, [first, other], equality, None)?;
    if !chosen.comparison.is_equal() || random.launches == 0 {
        return Ok(chosen);
    }
    let drawn = random::compare(sides, &chosen.runs[0], random, equality, &mut |compared, _| {
        let percentage = u32::try_from(compared * 100 / random.launches).unwrap_or_default();
        running.report(|| format!("launch {compared} of {}", random.launches), Some(percentage));
    });
    match drawn {
        Ok(drawn) if drawn.comparison.is_equal() => {
            let contraction = chosen.contraction.or(drawn.contraction);
            Ok(Compared { scope: chosen.scope.and(drawn.scope), contraction, drawn: drawn.drawn, ..chosen })
        }
        // The kernels do not run with any launch but the chosen one.
        Err(RunError::NothingDrawn { discarded, discarded_by_other, reason }) => {
            let Random { launches: requested, seed } = random;
            let drawn = Drawn { seed, requested, compared: 0, discarded, discarded_by_other, reason };
            Ok(Compared { drawn: Some(drawn), ..chosen })
        }
        drawn => drawn,
    }
}

fn request(source: &Source, settings: &Settings) -> RunRequest {
    let simulation = &settings.simulation;
    let options =
        RunSettings { max_steps: simulation.max_steps, memory: simulation.memory, ..RunSettings::default() };
    let usual_model = warplens_ide::model(source.language, &simulation.model).ok();
    RunRequest { usual_model, ..RunRequest::first(options.options()) }
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
