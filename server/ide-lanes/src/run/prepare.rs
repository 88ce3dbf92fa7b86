//! Prepares a run: selects the kernel and the launch, decodes the kernel, and resolves the launch.

use std::cell::OnceCell;
use std::sync::Arc;

use smol_str::SmolStr;
use warplens_ide_db::{Database, File};
use warplens_sim_launch::{Body, FileReader, Fill, Guess, Launch, PlacedBuffer, Problem, Resolved, resolve};
use warplens_sim_warp::RunOptions;

use super::coverage;
use super::prepared::{Cooperation, Prepared};
use crate::launches::{
    Choice, ChosenLaunch, LaunchFiles, LaunchSource, UnknownModel, choose, kernels_of, model_named,
};
use crate::simulator::{DocumentKernel, LaunchProblem, Model, Simulator};

#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The kernel; by default that of the launch, or the only one.
    pub entry: Option<String>,
    pub launch: Choice,
    /// WAVE: lanes of a wave, instead of the launch's number.
    pub wave_width: Option<u32>,
    /// The divergence model, instead of the launch's.
    pub model: Option<Model>,
    /// The model if the launch names none; by default that of the language.
    pub usual_model: Option<Model>,
    /// Limits, and the data to collect.
    pub options: RunOptions,
}

impl RunRequest {
    /// The first launch of the document, as it is written.
    pub fn first(options: RunOptions) -> RunRequest {
        RunRequest {
            entry: None,
            launch: Choice::First,
            wave_width: None,
            model: None,
            usual_model: None,
            options,
        }
    }
}

/// Prepares the requested run. `all` are the simulators of all languages, for messages about models.
pub fn prepare(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    all: &[&dyn Simulator],
    request: &RunRequest,
    launches: Option<&LaunchFiles>,
    read_file: FileReader<'_>,
) -> Result<Prepared, LaunchProblem> {
    let kernels = kernels_of(db, file, simulator);
    let (Some(simulator), false) = (simulator, kernels.is_empty()) else {
        return Err(LaunchProblem::new("the file has no kernel"));
    };
    let ChosenLaunch { launch, kernel, source, names } =
        choose(db, file, (&request.launch, request.entry.as_deref()), &kernels, launches)?;
    let located = |problem| located(db, file, source, launches, problem);
    let named = |name: &str| model_named(file.language(db), all, name);
    let usual = || simulator.model_for(db, file, kernel);
    let model = model_of(request, launch.as_ref(), &usual, &named).map_err(located)?;
    let decoded = simulator.decode(db, file, kernel, model.chosen)?;
    let progressing = decoded.progressing.filter(|_| !model.is_named);
    let (is_of_host, is_inferred) = (source == LaunchSource::Host, source == LaunchSource::Inferred);
    let given = launch.as_ref().filter(|_| source == LaunchSource::Given);
    let lacks_arguments = given.is_some_and(|launch| launch.args.is_empty());
    let has_size = is_of_host || given.is_some_and(|launch| launch.grid.is_some() || launch.block.is_some());
    let infers = is_of_host || is_inferred || lacks_arguments;
    let body = infers.then(|| (decoded.body)());
    let mut launch = completed(launch, kernel, body.as_ref(), has_size);
    if let Some(width) = request.wave_width {
        let set = kernel.kernel.rules.set_warp_width(&mut launch, width, is_inferred);
        set.map_err(LaunchProblem::new)?;
    }
    let resolved = resolve(&launch, &kernel.kernel, request.options.limits.max_memory, read_file);
    let resolved = resolved.map_err(located)?;
    let options = request.options;
    let (cooperation, outputs) = needs(kernel, &resolved, body.as_ref(), &decoded.body);
    let (kernel, max_memory) = (kernel.kernel.clone(), options.limits.max_memory);
    // With a size, only the arguments are guesses.
    let guess = body.filter(|_| !has_size || !launch.args.is_empty());
    let guess = guess.map(|body| Guess { kernel, body, max_memory, has_size });
    let prepared = Prepared {
        guess: guess.map(Arc::new),
        cooperation,
        outputs,
        program: decoded.program,
        resolved: Arc::new(resolved),
        source,
        names,
        model: model.chosen,
        options,
        statements: decoded.statements.into(),
        broken: decoded.broken.into(),
        text_errors: false,
        progressing,
    };
    Ok(match launch.schedule {
        Some(schedule) => prepared.under(schedule),
        None => prepared,
    })
}

/// The launch with a size and arguments inferred from `body` where it has none. Without a body, it is complete.
fn completed(launch: Option<Launch>, kernel: &DocumentKernel, body: Option<&Body>, has_size: bool) -> Launch {
    let kernel = &kernel.kernel;
    match (launch, body) {
        (None, body) => kernel.inferred(body.unwrap_or(&Body::default())),
        (Some(launch), Some(body)) if has_size => kernel.rules.with_arguments(launch, body),
        (Some(launch), Some(body)) => kernel.complete(launch, body),
        (Some(launch), None) => launch,
    }
}

/// A problem of the launch, at its text where it has one.
fn located(
    db: &Database,
    file: File,
    source: LaunchSource,
    launches: Option<&LaunchFiles>,
    problem: Problem,
) -> LaunchProblem {
    match (source, launches.and_then(|launches| launches.file.as_ref())) {
        (LaunchSource::File, Some(launches)) => launches.problem(&problem),
        (LaunchSource::Comment, _) => {
            LaunchProblem::in_text(&problem, None, &file.document(db).items().text())
        }
        _ => LaunchProblem::new(problem.message),
    }
}

/// Which threads the kernel expects to work together, and which buffers it may fill: computed from the body only if it matters.
fn needs(
    kernel: &DocumentKernel,
    resolved: &Resolved,
    body: Option<&Body>,
    facts: &dyn Fn() -> Body,
) -> (Cooperation, Arc<[SmolStr]>) {
    let computed = OnceCell::new();
    let facts = || body.unwrap_or_else(|| computed.get_or_init(facts));
    let is_alone = resolved.config.warps() == 1 || resolved.config.grid == [1; 3];
    let cooperation = match is_alone || body.is_some() {
        true => cooperation(kernel, facts()),
        false => Cooperation::default(),
    };
    let is_open = |buffer: &PlacedBuffer| buffer.deferred.is_some_and(Fill::is_open);
    let outputs = match resolved.buffers.iter().any(is_open) {
        true => coverage::outputs(resolved, facts()),
        false => Arc::default(),
    };
    (cooperation, outputs)
}

fn cooperation(kernel: &DocumentKernel, body: &Body) -> Cooperation {
    Cooperation {
        warps: body.has_warps && !kernel.kernel.rules.has_fixed_block(),
        blocks: body.block_axes.contains(&true),
    }
}

struct ChosenModel {
    chosen: Model,
    /// Whether the request or the launch names it, or the user's settings name another than the default.
    is_named: bool,
}

/// The requested model, or the launch's, or the default.
fn model_of(
    request: &RunRequest,
    launch: Option<&Launch>,
    usual: &dyn Fn() -> Model,
    named: &dyn Fn(&str) -> Result<Model, UnknownModel>,
) -> Result<ChosenModel, Problem> {
    let written = launch.and_then(|launch| Some((launch, launch.model.as_deref()?)));
    let written = written.map(|(launch, name)| {
        named(name).map_err(|unknown| Problem {
            at: launch.spans.of("model"),
            ..Problem::anywhere(unknown.to_string())
        })
    });
    match (request.model, written) {
        (Some(chosen), _) => Ok(ChosenModel { chosen, is_named: true }),
        (None, Some(written)) => Ok(ChosenModel { chosen: written?, is_named: true }),
        (None, None) => {
            let set = request.usual_model.filter(|model| !model.is_default());
            Ok(ChosenModel { chosen: set.unwrap_or_else(usual), is_named: set.is_some() })
        }
    }
}
